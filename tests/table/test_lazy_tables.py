"""A table that is not in memory is never loaded whole: who cannot read it in parts says so."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from test_contract import public_estimators

from planetree import C45Classifier, RobustSeparator, SparseSeparator
from planetree.distributed import open_partitions
from planetree.table import sources

X = np.arange(12.0).reshape(6, 2)
Y = np.array([0, 0, 0, 1, 1, 1])


class Unread:
    """A part that must not be read."""

    name = "part"

    def read(self):
        raise AssertionError("the rows were read")


def unread_parts():
    parts = open_partitions([(X, Y)])
    object.__setattr__(parts, "parts", (Unread(),))
    return parts


def made(kind):
    needs_one = kind.__name__ in ("SparseSeparator", "FloatingSelector")
    return kind(RobustSeparator()) if needs_one else kind()


def cannot_fit():
    return [each for each in public_estimators() if not hasattr(each, "_fit_partitions")]


@pytest.mark.parametrize("kind", cannot_fit(), ids=lambda each: each.__name__)
def test_an_estimator_that_needs_all_rows_refuses_parts_at_once_and_says_what_to_do(kind):
    with pytest.raises(TypeError, match=r"a table in parts.*distributed\.sample\(partitions, n\)"):
        made(kind).fit(unread_parts())


@pytest.mark.parametrize("kind", public_estimators(), ids=lambda each: each.__name__)
def test_rows_without_labels_are_refused_in_words(kind):
    with pytest.raises(ValueError, match="requires y to be passed"):
        made(kind).fit(X)


def test_the_advice_names_the_estimators_that_fit_parts():
    able = {e.__name__ for e in public_estimators() if hasattr(e, "_fit_partitions")}
    named = sources._CAN_FIT.replace(" and ", ", ").split(", ")
    assert set(named) == able


def lazy_tables_of(frame, tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    da = pytest.importorskip("dask.array")
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    from pyarrow import dataset

    frame.to_parquet(tmp_path / "part.parquet")
    yield dd.from_pandas(frame, npartitions=2), "a Dask DataFrame"
    yield da.from_array(frame.to_numpy()), "a Dask Array"
    yield polars.from_pandas(frame).lazy(), "a lazy frame"
    yield dataset.dataset(tmp_path / "part.parquet"), "a pyarrow Dataset"


def test_what_is_not_in_memory_is_not_loaded(tmp_path):
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = RobustSeparator().fit(frame, Y)
    for source, kind in lazy_tables_of(frame, tmp_path):
        for estimator in (RobustSeparator(), SparseSeparator(RobustSeparator())):
            with pytest.raises(TypeError, match=rf"{kind}.*open_partitions\(source, target"):
                estimator.fit(source, Y)
        with pytest.raises(TypeError, match=rf"{kind}.*distributed\.predict\(model, source\)"):
            model.predict(source)
    labels = next(lazy_tables_of(frame.assign(y=Y), tmp_path))[0]["y"]
    with pytest.raises(TypeError, match="a Dask Series"):
        RobustSeparator().fit(frame, labels)
    with pytest.raises(TypeError, match="a Dask Series"):
        RobustSeparator().fit(frame, Y, labels + 1)


def test_the_name_of_a_file_is_no_table(tmp_path):
    for name in (tmp_path, str(tmp_path / "*.parquet")):
        with pytest.raises(TypeError, match=r"the name of a file.*open_partitions\(source, target"):
            RobustSeparator().fit(name, Y)


def test_pipelines_and_cross_validation_are_refused_with_advice():
    parts = unread_parts()
    advice = r"cross-validation.*distributed\.sample\(partitions, n\)"
    with pytest.raises(TypeError, match=advice):
        make_pipeline(StandardScaler(), RobustSeparator()).fit(parts)
    with pytest.raises(TypeError, match=advice):
        cross_val_score(RobustSeparator(), parts)
    with pytest.raises(TypeError, match=advice):
        GridSearchCV(RobustSeparator(), {"perturbation": [0.0]}).fit(parts)
    with pytest.raises(TypeError, match=advice):
        cross_val_score(RobustSeparator(), parts, Y)


def test_a_refused_fit_leaves_the_estimator_as_it_was():
    model = C45Classifier().fit(X, Y)
    before = dict(vars(model))
    with pytest.raises(TypeError, match="a table in parts"):
        model.fit(unread_parts())
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())
    assert not hasattr(clone(model), "classes_")
