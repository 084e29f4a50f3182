"""The two doors of an estimator, behind a classifier that is as simple as can be."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from planetree.exceptions import CategoryWarning
from planetree.table import Column, Table, read_rows, read_training


class NearestMean(ClassifierMixin, BaseEstimator):
    """The class whose mean is nearest, a missing cell counted as 0."""

    def __init__(self, missing=False, sparse=False, min_classes=2):
        self.missing = missing
        self.sparse = sparse
        self.min_classes = min_classes

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing
        tags.input_tags.sparse = self.sparse
        return tags

    def fit(self, X, y, sample_weight=None):
        table, codes, weights, _ = read_training(
            self,
            X,
            y,
            sample_weight,
            missing=self.missing,
            sparse=self.sparse,
            min_classes=self.min_classes,
        )
        share = np.eye(len(self.classes_))[codes] * weights[:, np.newaxis]
        self.means_ = (share / share.sum(axis=0)).T @ dense(table.values)
        return self

    def predict(self, X):
        X = dense(read_rows(self, X, missing=self.missing, sparse=self.sparse))
        distances = np.linalg.norm(X[:, np.newaxis] - self.means_, axis=2)
        return self.classes_[distances.argmin(axis=1)]


def dense(values):
    return np.nan_to_num(values.toarray() if sp.issparse(values) else values)


SETTINGS = [
    NearestMean(),
    NearestMean(missing=True),
    NearestMean(sparse=True),
    NearestMean(missing=True, sparse=True, min_classes=1),
]


@parametrize_with_checks(SETTINGS)
def test_an_estimator_with_these_doors_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


X2 = [[0.0], [1.0]]
X3 = [[0.0], [1.0], [2.0]]


@pytest.mark.parametrize(
    "y",
    [
        ["b", "a", "b"],
        np.array(["b", "a", "b"]),
        np.array(["b", "a", "b"], dtype=object),
        pd.Series(["b", "a", "b"]),
        pd.Series(["b", "a", "b"], index=[7, 8, 9], dtype="category"),
        pd.Categorical(["b", "a", "b"], categories=["b", "c", "a"]),
        pl.Series(["b", "a", "b"]),
        pl.Series(["b", "a", "b"], dtype=pl.Enum(["c", "b", "a"])),
        pl.Series(["b", "a", "b"], dtype=pl.Categorical),
        pa.chunked_array([["b"], ["a", "b"]]),
        pa.chunked_array([["b"], ["a", "b"]]).dictionary_encode(),
    ],
    ids=lambda y: f"{type(y).__module__}.{type(y).__name__}",
)
def test_labels_of_text_come_from_any_library(y):
    model = NearestMean()
    training = read_training(model, X3, y)
    assert training.codes.tolist() == [1, 0, 1]
    assert training.codes.dtype == np.intp
    assert model.classes_.tolist() == ["a", "b"]


@given(
    st.lists(
        st.one_of(st.integers(-(2**62), 2**62), st.integers(-3, 3)), min_size=2, max_size=20
    ).filter(lambda y: len(set(y)) > 1),
    st.sampled_from(["int64", "object"]),
)
@settings(max_examples=60, deadline=None)
def test_whole_numbers_are_coded_as_numpy_unique_would(y, dtype):
    y = np.array(y, dtype=dtype)
    model = NearestMean()
    codes = read_training(model, np.ones((len(y), 1)), y).codes
    labels, expected = np.unique(y, return_inverse=True)
    np.testing.assert_array_equal(codes, expected)
    np.testing.assert_array_equal(model.classes_, labels)
    assert model.classes_.dtype == labels.dtype


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "uint64", "float32", "float64"])
def test_labels_keep_their_type(dtype):
    model = NearestMean()
    codes = read_training(model, X3, np.array([1, 0, 1], dtype=dtype)).codes
    assert codes.tolist() == [1, 0, 1]
    assert model.classes_.dtype == dtype
    assert model.classes_.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [("int8", -128, 127), ("int8", 126, 127), ("int64", 2**63 - 2, 2**63 - 1)],
)
def test_labels_at_the_ends_of_a_type_do_not_overflow(dtype, low, high):
    """Labels in sequence once did: one more than the largest was asked for."""
    model = NearestMean()
    codes = read_training(model, X3, np.array([high, low, high], dtype=dtype)).codes
    assert codes.tolist() == [1, 0, 1]
    assert model.classes_.tolist() == [low, high]
    assert model.classes_.dtype == dtype


@pytest.mark.parametrize(
    "y",
    [
        ["a", None, "b"],
        [1.0, np.nan, 2.0],
        [1, None, 2],
        np.array([True, None, False], dtype=object),
        pd.Series([1, None, 2], dtype="Int64"),
        pd.Series(["a", None, "b"]),
        pd.Series(["a", None, "b"], dtype="category"),
        pl.Series(["a", None, "b"]),
        pl.Series([True, None, False]),
        pa.chunked_array([["a", None, "b"]]),
    ],
    ids=str,
)
def test_a_missing_label_is_refused_with_its_row(y):
    with pytest.raises(ValueError, match=r"y contains NaN: the label of row 1 .*Remove the rows"):
        read_training(NearestMean(), X3, y)


@pytest.mark.parametrize("y", [[0.0, 0.5, 1.0], [0, 0.5, 1], np.array([0, 0.5, 1], dtype=object)])
def test_a_continuous_target_is_refused_with_its_row(y):
    with pytest.raises(ValueError, match=r"Unknown label type: continuous.* row 1 .*is 0\.5"):
        read_training(NearestMean(), X3, y)


def test_labels_of_several_types_are_refused():
    y = np.array([1, "a", 2], dtype=object)
    with pytest.raises(ValueError, match=r"Unknown label type: .*'int', 'str'"):
        read_training(NearestMean(), X3, y)


def test_a_matrix_of_labels_is_refused_and_one_column_is_taken_with_a_warning():
    with pytest.raises(ValueError, match=r"y should be a 1d array.*\(3, 2\)"):
        read_training(NearestMean(), X3, np.zeros((3, 2), dtype=int))
    for y in (np.array([[1], [0], [1]]), pd.DataFrame({"y": [1, 0, 1]}), [["b"], ["a"], ["b"]]):
        with pytest.warns(DataConversionWarning, match="column-vector y was passed"):
            assert read_training(NearestMean(), X3, y).codes.tolist() == [1, 0, 1]


def test_a_target_of_another_length_or_none_is_refused():
    with pytest.raises(ValueError, match="X has 3 rows, but y has 2 labels"):
        read_training(NearestMean(), X3, [0, 1])
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        read_training(NearestMean(), X3, None)


def test_one_class_only_is_refused_by_name():
    with pytest.raises(ValueError, match=r"1 class.*'yes'.*NearestMean needs at least 2 classes"):
        read_training(NearestMean(), X2, ["yes", "yes"])
    assert read_training(NearestMean(), X2, ["yes", "yes"], min_classes=1).codes.tolist() == [0, 0]


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_a_bad_weight_is_refused_with_its_row(bad):
    message = r"sample_weight must be finite and not negative.* row 1 \(counting from 0\)"
    for weights in ([1.0, bad, 1.0], pd.Series([1.0, bad, 1.0]), pl.Series([1.0, bad, 1.0])):
        with pytest.raises(ValueError, match=message):
            read_training(NearestMean(), X3, [0, 1, 1], weights)


def test_weights_of_the_wrong_shape_or_all_zero_are_refused():
    for weights in ([1.0, 1.0], np.ones((3, 2)), 1.0):
        with pytest.raises(ValueError, match="one number per row, 3 in all"):
            read_training(NearestMean(), X3, [0, 1, 1], weights)
    with pytest.raises(ValueError, match="weights are all zero"):
        read_training(NearestMean(), X3, [0, 1, 1], [0, 0, 0])


def test_weights_are_one_by_default():
    assert read_training(NearestMean(), X3, [0, 1, 1]).weights.tolist() == [1, 1, 1]


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3), st.integers(0, 2)), min_size=2)
)
@settings(max_examples=80, deadline=None)
def test_a_row_of_weight_zero_is_no_row(rows):
    word, label, weight = zip(*rows, strict=True)
    frame = pd.DataFrame({"word": word, "number": range(len(word))})
    kept, weight = np.flatnonzero(weight), np.array(weight, dtype=float)
    label = np.array(label)
    if len(kept) == 0:
        return
    weighted, removed = NearestMean(), NearestMean()
    a = read_training(weighted, frame, label, weight, min_classes=1)
    b = read_training(removed, frame.iloc[kept], label[kept], weight[kept], min_classes=1)
    np.testing.assert_array_equal(a.table.values, b.table.values)
    np.testing.assert_array_equal(a.codes, b.codes)
    np.testing.assert_array_equal(a.weights, b.weights)
    assert weighted.columns_ == removed.columns_
    assert weighted.classes_.tolist() == removed.classes_.tolist()


def test_a_category_of_rows_of_weight_zero_is_gone_unless_it_was_declared():
    frame = pd.DataFrame({"a": ["x", "y", "z"], "b": pd.Categorical(["x", "y", "z"])})
    table = read_training(NearestMean(), frame, [0, 1, 1], [1, 0, 1]).table
    assert table.columns == (Column("a", ("x", "z")), Column("b", ("x", "y", "z")))
    assert table.values.tolist() == [[0, 0], [1, 2]]


def test_fit_sets_the_names_of_a_frame_and_forgets_them_with_an_array():
    model = NearestMean()
    read_training(model, pl.DataFrame({"size": [1, 2], "color": ["red", "blue"]}), [0, 1])
    assert model.n_features_in_ == 2
    assert model.feature_names_in_.tolist() == ["size", "color"]
    assert model.feature_names_in_.dtype == object
    assert model.columns_ == (Column("size"), Column("color", ("blue", "red")))
    read_training(model, X2, [0, 1])
    assert not hasattr(model, "feature_names_in_")
    assert model.columns_ == (Column("x0"),)


def test_a_failed_fit_leaves_the_estimator_as_it_was():
    model = NearestMean()
    with pytest.raises(ValueError, match="infinity"):
        read_training(model, [[np.inf], [1.0]], [0, 1])
    assert vars(model) == vars(NearestMean())


def test_rows_need_a_fitted_estimator():
    with pytest.raises(NotFittedError):
        read_rows(NearestMean(), X2)


def test_the_columns_of_a_frame_are_matched_by_name_in_any_order():
    frame = pd.DataFrame({"a": [0.0, 1.0], "b": [1.0, 0.0]})
    model = NearestMean().fit(frame, ["n", "y"])
    assert model.predict(frame).tolist() == ["n", "y"]
    assert model.predict(frame[["b", "a"]]).tolist() == ["n", "y"]
    with pytest.raises(ValueError, match="unseen at fit time:\n- c\n"):
        model.predict(frame.assign(c=0.0))
    with pytest.raises(ValueError, match="yet now missing:\n- b\n"):
        model.predict(frame[["a"]])


def test_a_frame_of_another_library_will_do():
    model = NearestMean().fit(pd.DataFrame({"a": ["u", "v"], "b": [1, 0]}), [0, 1])
    assert model.predict(pl.DataFrame({"a": ["v"], "b": [0]})).tolist() == [1]
    assert model.predict(pa.table({"a": ["v"], "b": [0]})).tolist() == [1]


def test_names_on_one_side_only_are_matched_by_position_with_a_warning():
    frame = pd.DataFrame({"a": [0.0, 1.0]})
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        read_rows(NearestMean().fit(frame.to_numpy(), [0, 1]), frame)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        read_rows(NearestMean().fit(frame, [0, 1]), frame.to_numpy())


def test_an_unseen_category_has_a_code_for_one_estimator_and_is_refused_by_another():
    frame, new = pd.DataFrame({"a": ["u", "v"]}), pd.DataFrame({"a": ["w", "v"]})
    with pytest.warns(CategoryWarning, match="'a', row 0 .*: 'w'"):
        rows = read_rows(NearestMean().fit(frame, [0, 1]), new, missing=True)
    np.testing.assert_array_equal(rows, [[-1], [1]])
    with pytest.raises(ValueError, match=r"Unknown category .*'w'.* NearestMean needs every value"):
        NearestMean().fit(frame, [0, 1]).predict(new)


def test_a_table_is_taken_as_it_is_without_a_word():
    frame = pd.DataFrame({"a": ["u", "v", "v"], "b": [1.0, 2.0, 3.0]})
    table = Table.read(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = NearestMean().fit(table, [0, 1, 1])
        np.testing.assert_array_equal(read_rows(model, table), table.values)
        part = read_training(NearestMean(), table.take([0, 2]), [0, 1])
    assert model.columns_ == part.table.columns == table.columns


def test_an_array_passes_both_doors_without_a_copy():
    X = np.array(X3)
    model = NearestMean()
    assert read_training(model, X, [0, 1, 1]).table.values is X
    assert read_rows(model, X) is X


def test_a_fitted_model_survives_pickle():
    frame = pl.DataFrame({"a": ["u", "v"], "b": [True, False]})
    model = pickle.loads(pickle.dumps(NearestMean().fit(frame, ["n", "y"])))
    assert model.predict(frame).tolist() == ["n", "y"]
