"""Tables in parts: files and clusters that are larger than memory.

    partitions   a table in parts, opened without reading it; what all of it is; some of its rows
    parts        files, lazy frames and Dask collections, each of which reads itself
    engines      where the work runs: here, part by part, or on a cluster of Dask
    gap_filling  missing cells, filled as in memory
    prediction   answers to tables in parts, part by part

- rows are read inside tasks and never sent around: what comes here are sums and few rows;
- no answer depends on the number of workers.
"""

from planetree.distributed.engines import using
from planetree.distributed.partitions import Partitions, open_partitions, sample
from planetree.distributed.prediction import predict

__all__ = ["Partitions", "open_partitions", "predict", "sample", "using"]
