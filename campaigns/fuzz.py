"""Seeded fuzzing: `python -m campaigns.fuzz --minutes 10`, or `make fuzz`.

    tables         odd tables of every kind and container, for every estimator of the contract
    certificates   bounds, objectives and statuses in exact rationals, against rival planes
    files          mutated model files and checkpoints; every public method of those that load
    exports        models with hostile names as Python, C, SQLite, DuckDB and ONNX, executed
    readers        damaged CSV, ARFF, names, packed and Parquet files

Trials run in worker processes, which are ended if they hang. A failure prints its seed and number,
a reproduction as small as it gets, and the command that repeats it.
"""

from campaigns.fuzzing.driver import Campaign, main

CAMPAIGNS = {
    "tables": Campaign("campaigns.fuzzing.tables", 0.4),
    "certificates": Campaign("campaigns.certificates", 0.2),
    "files": Campaign("campaigns.fuzzing.files", 0.25, 100),
    "exports": Campaign("campaigns.fuzzing.exports", 0.1),
    "readers": Campaign("campaigns.fuzzing.readers", 0.05, 100),
}

if __name__ == "__main__":
    raise SystemExit(main("fuzz", CAMPAIGNS, minutes=10.0))
