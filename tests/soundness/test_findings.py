"""What the campaigns found, each in its smallest form."""

import gzip
import io
import json
import re
import sqlite3
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy import sparse
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier

import planetree
from planetree import (
    C45Classifier,
    CentroidSelector,
    FloatingSelector,
    GeneticSelector,
    MultisurfaceClassifier,
    PlaneTreeClassifier,
    QuadraticSeparator,
    RobustSeparator,
    SeparatorTreeClassifier,
    SparseSeparator,
    _core,
    words,
)
from planetree.convert import to_sql
from planetree.exceptions import FileError, ModelFileError
from planetree.table import Table
from planetree.table_files import read_examples
from planetree.tree.plane.plane_pairs import plane_pairs

X, Y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])


@pytest.mark.parametrize("weight", [1 + 1j, 1e308, 5e-324, "heavy", None, 10**400])
def test_weights_that_no_sum_can_hold_are_refused(weight):
    """They were cast with a ComplexWarning, overflowed, or ended in an error of numpy's."""
    with pytest.raises(ValueError, match=r"sample_weight"):
        C45Classifier().fit(X, Y, np.full(4, weight))


def test_a_column_named_true_is_no_truth_value_of_sqlite():
    """`IS NOT TRUE` meant the column: every known category was missing."""
    rng = np.random.default_rng(0)
    kinds = pd.Categorical(rng.choice([*"abc"], 60))
    frame = pd.DataFrame({"true": rng.normal(size=60), "kind": kinds})
    y = np.where(frame["kind"] == "a", "yes", np.where(frame["true"] > 0, "yes", "no"))
    model = C45Classifier().fit(frame, y)
    base = sqlite3.connect(":memory:")
    base.execute('CREATE TABLE "rows" ("true", "kind")')
    base.executemany('INSERT INTO "rows" VALUES (?, ?)', frame.astype(object).to_numpy().tolist())
    found = base.execute(to_sql(model, "rows", dialect="sqlite")).fetchall()
    assert [row[-1] for row in found] == model.predict(frame).tolist()


def test_a_model_file_without_a_needed_parameter_says_so(tmp_path):
    """It was a TypeError of the constructor."""
    path = tmp_path / "model.json"
    planetree.save(FloatingSelector(KNeighborsClassifier(1)).fit(np.hstack([X, -X]), Y), path)
    said = json.loads(path.read_text())
    del said["model"]["parameters"]["estimator"]
    path.write_text(json.dumps(said))
    with pytest.raises(ModelFileError, match="parameters has no estimator"):
        planetree.load(path)


def test_a_file_whose_inner_model_lacks_what_it_says_is_refused(tmp_path):
    """The words of the file were compared with those of a tree without its criterion."""
    path = tmp_path / "model.json"
    search = GeneticSelector(n_evaluations=10, population_size=10, random_state=0, verbose=-1)
    planetree.save(search.fit(np.hstack([X, -X]).repeat(5, axis=0), Y.repeat(5)), path)
    said = json.loads(path.read_text())
    del said["model"]["fitted"]["estimator_"]["fitted"]["criterion_"]
    path.write_text(json.dumps(said))
    with pytest.raises(ModelFileError, match="criterion_"):
        planetree.load(path)


def test_a_tree_that_could_not_be_pruned_again_is_refused(tmp_path):
    """A file of an older version without costs was loaded, and `prune()` was an AttributeError."""
    path = tmp_path / "model.json"
    planetree.save(SeparatorTreeClassifier().fit(X, Y), path)
    said = json.loads(path.read_text())
    del said["model"]["fitted"]["costs_"]
    path.write_text(json.dumps(said))
    with pytest.raises(ModelFileError, match="costs_"):
        planetree.load(path)


@pytest.mark.parametrize("with_words", [True, False])
def test_a_tree_without_its_certificates_is_refused(tmp_path, with_words):
    """The words of the file were compared with those of a tree that has none."""
    path = tmp_path / "model.json"
    planetree.save(PlaneTreeClassifier(grading=None).fit(X, Y), path)
    said = json.loads(path.read_text())
    del said["model"]["fitted"]["certificates_"]
    if not with_words:
        del said["words"]
    path.write_text(json.dumps(said))
    with pytest.raises(ModelFileError, match="certificates_"):
        planetree.load(path)


def test_a_whole_number_that_no_float_holds_does_not_fill_a_column(tmp_path):
    """It was a TypeError of numpy."""
    path = tmp_path / "model.json"
    planetree.save(RobustSeparator(missing="impute").fit(X, Y), path)
    path.write_text(re.sub(r'("fill":\s*)[-\d.]+', r"\g<1>1" + "0" * 400, path.read_text()))
    with pytest.raises(ModelFileError, match="fill must be a finite number"):
        planetree.load(path)


def test_damaged_packed_and_parquet_tables_are_file_errors(tmp_path):
    """They were OSErrors of pyarrow that named no file."""
    packed = bytearray(gzip.compress(b"size,class\n" + b"1.5,a\n2.5,b\n" * 50, mtime=0))
    packed[30] ^= 255
    (tmp_path / "t.csv.gz").write_bytes(packed)
    out = io.BytesIO()
    parquet.write_table(pa.table({"size": [1.5, 2.5], "class": ["a", "b"]}), out)
    damaged = bytearray(out.getvalue())
    damaged[4:12] = b"\xff" * 8
    (tmp_path / "t.parquet").write_bytes(damaged)
    for name in ("t.csv.gz", "t.parquet"):
        with pytest.raises(FileError, match=name):
            read_examples(tmp_path / name, "class")


def test_a_file_whose_branches_are_other_classes_is_refused(tmp_path):
    """Both branches were one class, and probabilities of a row summed to 1.9."""
    path = tmp_path / "model.json"
    planetree.save(SparseSeparator().fit(np.hstack([X, -X]), Y), path)
    said = json.loads(path.read_text())
    said["model"]["fitted"]["branch_codes_"]["values"] = [1, 1]
    path.write_text(json.dumps(said))
    with pytest.raises(ModelFileError, match="branch_codes_"):
        planetree.load(path)


@pytest.mark.filterwarnings("error")
def test_a_plane_with_weights_whose_products_overflow_is_turned_without_a_warning():
    """Weights near 1e200 were multiplied to learn whether two planes point the same way."""
    small = [[-0.3, -1.3], [0.9, 0.03], [-0.5, -1.8], [1.95, 0.47]]
    model = PlaneTreeClassifier(max_features_per_split=2, max_features_total=2, size=0.1)
    plain = clone(model).fit(np.array(small), [1, 1, 0, 0])
    tiny = model.fit(np.array(small) * 2.0**-670, [1, 1, 0, 0])
    assert [each.status for each in tiny.certificates_] == [e.status for e in plain.certificates_]


def test_a_decision_whose_rounded_score_divides_no_row_leaves_a_leaf():
    """The tree read the decision of a node that had become a leaf again."""
    steps = np.array([[0, 3, 1], [3, 3, 3], [2, 0, 3], [1, 3, 2], [0, 0, 2], [0, 2, 0], [2, 0, 1]])
    rows, y = 1.0 + np.vstack([steps, [1, 3, 1]]) * np.spacing(1.0), [2, 0, 2, 1, 1, 0, 1, 2]
    model = PlaneTreeClassifier(max_features_per_split=2, max_features_total=2, size=0.1)
    model.fit(rows, y, [3, 1, 2, 2, 1, 2, 3, 2])
    assert len(model.certificates_) == model.tree_.n_nodes - model.tree_.n_leaves


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_two_planes_are_the_same_in_units_whose_squares_overflow():
    """Cells near 1e300 that differ in their last digits were squared, with a warning of numpy's."""
    rng = np.random.default_rng(0)
    E = rng.integers(-4, 5, (40, 3)).astype(float)
    sides = E[:, 0] * E[:, 1] > 0
    given = sides, np.eye(2)[sides * 1], np.arange(3), 2, 2.0
    plain, huge = (list(plane_pairs(E * unit, *given)) for unit in (1.0, 2.0**1000))
    assert len(plain) > 2
    assert [each.entropy for each in huge] == [each.entropy for each in plain]
    assert [
        (each.offsets / 2.0 ** (1000 * (each.rule == "same_side"))).tolist() for each in huge
    ] == [each.offsets.tolist() for each in plain]


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("unit", [1e-305, 1e-307])
def test_columns_whose_weights_would_be_infinite_count_as_constant(unit):
    """They were an OverflowError of the exact proof, or warnings of weights that overflow."""
    X = np.array([[-1.0, 2.0], [3.0, 0.5], [0.0, 7.0], [1.0, -1.0], [0.5, 3.0]]) * [unit, 1.0]
    y = [0, 1, 0, 1, 1]
    model = SeparatorTreeClassifier(SparseSeparator()).fit(X, y)
    assert model.features_used_.tolist() == [1]
    with pytest.raises(ValueError, match="Every row of X has the same features"):
        RobustSeparator().fit(X[:, :1], y)


def test_the_error_of_a_file_is_short_however_much_a_parameter_may_be(tmp_path, monkeypatch):
    """A separator called "C" in a file gave 1,200 letters of scikit-learn's."""
    (tmp_path / "model.json").write_text("{}")

    def refuse(*given, **options):
        raise ModelFileError("model does not work: " + "one of these, " * 100)

    monkeypatch.setattr("planetree.model_files.reading.read_text", refuse)
    with pytest.raises(ModelFileError, match=r"^model.json: model does not work") as caught:
        planetree.load(tmp_path / "model.json")
    assert len(str(caught.value)) < 1000


def test_rows_that_rounding_makes_equal_end_the_multisurface_method():
    """It asked for the best of no pairs of planes. Beside 1e150, 0.99 and 1.21 are one number."""
    model = MultisurfaceClassifier(conflicts="majority").fit([[1e150], [-0.99], [-1.21]], [0, 1, 0])
    assert not model.separable_
    assert set(model.predict([[1e150], [-0.99]])) <= {0, 1}


@pytest.mark.skipif(not hasattr(pl, "Int128"), reason="this polars has no integers of 128 bits")
def test_integers_of_128_bits_are_numbers_in_columns_and_refused_in_words_elsewhere():
    """They were an InvalidOperationError of polars."""
    wide = pl.Series("size", [0, 1, 2, 2**100], dtype=pl.Int128)
    model = RobustSeparator().fit(pl.DataFrame({"size": wide}), Y)
    assert (
        model.predict(pl.DataFrame({"size": wide})).tolist()
        == model.predict(pd.DataFrame({"size": [0.0, 1.0, 2.0, 2.0**100]})).tolist()
    )
    with pytest.raises(TypeError, match="size holds Int128"):
        C45Classifier().fit(X, wide)


def test_a_csv_of_many_columns_is_read(tmp_path):
    """A header of 130,000 letters is one cell between tabs, which the module csv refused."""
    names = [f"column{j}" for j in range(15_000)]
    lines = [",".join([*names, "class"]), *(",".join(["1"] * 15_000 + [each]) for each in "abab")]
    (tmp_path / "wide.csv").write_text("\n".join(lines))
    assert read_examples(tmp_path / "wide.csv", "class").frame.shape[0] == 4


def test_a_category_that_no_plane_knows_begins_partial_fit_anew(tmp_path):
    """A file with one more category than its planes have terms was an error of numpy's matmul."""
    frame = pd.DataFrame({"size": X[:, 0], "kind": pd.Categorical([*"abab"])})
    path = tmp_path / "model.json"
    planetree.save(QuadraticSeparator().partial_fit(frame, Y, classes=[0, 1]), path)
    path.write_text(re.sub(r'("tuple":\s*\[\s*"a",\s*"b")', r'\1, "c"', path.read_text()))
    model = planetree.load(path)
    assert model.columns_[1].categories == ("a", "b", "c")
    assert model.partial_fit(Table(np.column_stack([X, X % 2]), model.columns_), Y).predict(
        frame
    ).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("cost", [10**400, "much", [1, 2]])
def test_costs_that_are_no_numbers_are_refused_in_words(cost):
    """They were errors of numpy, such as an OverflowError."""
    with pytest.raises(ValueError, match="costs must be a matrix of numbers"):
        QuadraticSeparator(costs=[[0, cost], [1, 0]]).fit(X, Y)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_centroids_whose_columns_lie_1e180_apart_need_no_ratio_that_overflows():
    """What one column leaves of the bound of another was divided beyond the largest float."""
    rows = [[6.0e-140, 8.9e40, 4.8e40], [8.8e-140, 6.9e40, 8.6e40], [-1.2e-137, -1.1e41, 4.1e40]]
    assert CentroidSelector().fit(rows, [0, 1, 0]).get_support().any()


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("kind", [RobustSeparator, PlaneTreeClassifier])
def test_products_that_overflow_are_refused_with_their_column(kind):
    """They were infinite features of which no column was named, or a warning of numpy."""
    huge = pd.DataFrame({"small": X[:, 0], "huge": X[::-1, 0] * 1e200})
    with pytest.raises(ValueError, match=r"Column 'huge' holds a number of size 3e\+200"):
        kind(products="squares").fit(huge, Y)
    assert kind(products=[("small", "small")]).fit(huge, Y).score(huge, Y) == 1


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame, sparse.csr_array])
def test_long_numbers_that_no_float_holds_are_infinite_without_a_warning(kind):
    """They were cast with a warning of numpy's."""
    long = np.array(["1", "2", "3", "1e400"]).astype(np.longdouble)
    if not np.isfinite(long).all():
        pytest.skip("long doubles are doubles here")
    with pytest.raises(ValueError, match=r"row 3 .* holds inf"):
        RobustSeparator().fit(kind(long[:, None]), Y)
    with pytest.raises(ValueError, match=r"weight of row 3 .* is inf"):
        RobustSeparator().fit(X, Y, long)


def test_a_decimal_that_signals_is_a_missing_cell_and_no_label():
    """It was an error of float() or, beside text, of the module decimal."""
    cells = np.array([Decimal("sNaN"), Decimal(1), Decimal(2), Decimal(3)], dtype=object)
    with pytest.raises(ValueError, match="row 0"):
        RobustSeparator().fit(cells[:, None], Y)
    model = C45Classifier(min_cases=1).fit(cells[:, None], Y)
    assert model.predict(cells[:, None])[1:].tolist() == [0, 1, 1]
    with pytest.raises(ValueError, match=r"label of row 0 .* is missing"):
        C45Classifier().fit(X, cells)


def test_a_lone_surrogate_in_a_frame_is_text_as_it_is_in_an_array(tmp_path):
    """pandas hands text to pyarrow, which refused it by an error of its codec."""
    cells = np.array(["a\ud800", "b", "a\ud800", "b"], dtype=object)
    frame = pd.DataFrame({"x0": pd.Series(cells, dtype=object)})
    model, plain = (RobustSeparator().fit(each, [0, 1, 0, 1]) for each in (frame, cells[:, None]))
    planetree.save(model, tmp_path / "model.json")
    assert model.columns_ == plain.columns_ == planetree.load(tmp_path / "model.json").columns_
    assert model.predict(frame).tolist() == [0, 1, 0, 1]


def test_whole_numbers_of_any_size_are_labels():
    """10 ** 400 was an OverflowError."""
    labels = np.array([10**400, 10**400, 1, 1], dtype=object)
    assert C45Classifier().fit(X, labels).predict(X).tolist() == labels.tolist()


def test_a_whole_number_that_no_float_holds_is_no_share():
    """It was an OverflowError."""
    with pytest.raises(ValueError, match="error_increase"):
        SparseSeparator(error_increase=10**400).fit(np.hstack([X, -X]), Y)


def test_numbers_whose_distance_is_infinite_are_said():
    """The digits of what lies between them were counted by a logarithm of infinity."""
    assert words._between(-1e308, 1e308) == ("-1e+308", "1e+308")
    assert words._between(1.0, np.inf) == ("1", "inf")


@pytest.mark.parametrize("seed", range(20))
def test_planes_that_all_classes_share_take_no_step_of_their_own(seed):
    """Rows of one class of four: rounding moved all planes together, to weights near 1e180."""
    rng = np.random.default_rng(seed)
    rows, charge = rng.integers(-3, 4, (3, 3)).astype(float), 1.0 / rng.integers(1, 10, 4)
    classes, weight = np.full(3, 2, dtype=np.int32), np.array([4.0, 2.0, 2.0])
    center, scale = rows.mean(axis=0), np.maximum(rows.std(axis=0), 0.5)
    program = _core.HingeProgram(rows, classes, weight, charge, center, scale, all_blocks=True)
    assert np.abs(program.solve_quadratic(0.2).z).max() < 2


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_pairs_of_planes_in_tiny_units_are_brought_to_one_size():
    """Squares of scores near 1e-306 are 0, and 0 was divided by 0."""
    x = np.array([[8.647e-306], [1.323e-305], [-1.368e-305], [6.125e-305], [9.188e-305]])
    classes = np.array([0, 1, 0, 1, 0])
    model = PlaneTreeClassifier(max_features_per_split=2, max_features_total=2, size=0.1)
    assert model.fit(x, classes).predict(x).tolist() == classes.tolist()


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_huge_cells_are_no_numbers_of_few_digits():
    """Their digits were counted beyond the largest float."""
    x = 1e300 * np.array([[16777215.0], [16777214.0], [16777214.0], [16777215.0]])
    SeparatorTreeClassifier(class_weight="balanced", pruning=None).fit(x, [0, 1, 2, 1])
