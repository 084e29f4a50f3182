"""Selectors keep columns of every table that they are fitted to."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from planetree import BiclusteringSelector, DiscriminantPowerSelector, GeneticSelector

Y = np.resize([0, 1], 20)


@pytest.mark.parametrize("texts", [["b", "a"], ["a", "b"]], ids="".join)
@pytest.mark.parametrize(
    "selector",
    [
        BiclusteringSelector(),
        DiscriminantPowerSelector(n_features_to_select=1, random_state=0),
        GeneticSelector(n_evaluations=10, population_size=10, random_state=0, verbose=-1),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_dictionary_of_pyarrow_in_pandas_is_kept_as_other_text_is(selector, texts):
    """Beside numbers of pyarrow it was 'could not convert string to float: a' in `transform`."""
    text = pa.array(texts * 10).dictionary_encode()
    table = pa.table({"kind": text, "size": pa.array(np.arange(20.0) % 7)})
    frame = table.to_pandas(types_mapper=pd.ArrowDtype)
    plain = frame.astype({"kind": object, "size": float})
    selector.fit(frame, Y)
    kept = np.asarray(selector.transform(frame)).tolist()
    assert kept == plain.loc[:, selector.get_support()].to_numpy().tolist()
    named = selector.set_output(transform="pandas").transform(frame)
    assert list(named) == selector.get_feature_names_out().tolist()
