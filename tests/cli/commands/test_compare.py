"""`planetree compare`: methods on the same folds, ordered by a metric."""

import re

import pytest
from exit_codes import USAGE, rows_of


def test_compare_runs_every_method_on_the_same_folds(at, fitted):
    methods = ("sparse-planes", "c45", "plane", "two-planes", "sklearn-tree", "sklearn-logistic")
    asked = [word for name in methods for word in ("--method", name)]
    files = ("--csv", "c.csv", "--html", "c.html", "--force")
    found = at("compare", "iris.csv", "--target", "species", "--folds", "5", *asked, *files)
    assert found.code == 0, found.err
    rows = rows_of((fitted / "c.csv").read_text())
    assert {row["method"] for row in rows} == {"majority", *methods}
    assert "two-planes: Only binary classification" in found.out
    errors = [float(row["error"]) for row in rows if row["error"]]
    assert errors == sorted(errors)
    assert rows[0]["undominated"] == "True"
    assert rows[0]["p"] == ""
    majority = next(row for row in rows if row["method"] == "majority")
    assert float(majority["error"]) == pytest.approx(2 / 3)
    assert float(majority["p"]) == pytest.approx(5 * 2.0**-4)  # five folds, five others
    page = (fitted / "c.html").read_text()
    assert page.count("<tr") == len(errors) + 1
    assert "http" not in page.replace("http-equiv", "")


def test_compare_needs_folds_and_known_methods(at):
    compare = ("compare", "iris.csv", "--target", "species")
    assert at(*compare, "--folds", "1").refused(USAGE, "--folds")
    assert at(*compare, "--folds", "0").refused(USAGE, "--folds")
    words = " ".join(re.sub(r"[│\n]", " ", at("compare", "--help").out).split())
    assert "0 skips it" not in words
    assert "Cross-validation folds. Default: 10." in words  # a default in brackets is never shown
    assert "Default: 2GB." in words
    assert at(*compare, "--method", "forest").refused(USAGE, "no method 'forest'")


def test_compare_orders_by_a_metric_and_shows_classes(at):
    words = ("compare", "iris.csv", "--target", "species", "--folds", "3", "--method", "c45")
    shown = at(*words, "--method", "sparse-planes", "--metric", "log-loss")
    assert "setosa: recall, precision" in shown.out
    assert shown.out.index("sparse-planes") < shown.out.index("c45 ")
    assert at(*words, "--metric", "f1").refused(USAGE, "--metric must be one of error, auc")
