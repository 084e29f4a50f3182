"""The form of the report answers as `predict` and `predict_proba` do, row by row."""

import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from browser import run, run_all
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.utils import get_tags

import planetree
from planetree import (
    BiclusteringSelector,
    BilinearSeparator,
    C45Classifier,
    CentroidSelector,
    MultisurfaceClassifier,
    PlaneTreeClassifier,
    RobustSeparator,
    SeparatorTreeClassifier,
    SparseSeparator,
)
from planetree.table import Table
from planetree.tree import fitted_tree

N_ROWS = 150

FILL = """
const fire = (id, value) => {
  const input = document.getElementById(id);
  input.value = value;
  input.dispatchEvent(new Event("input"));
};
const byClass = (a, b) => a.dataset.class - b.dataset.class;
return ROWS.map((cells) => {
  cells.forEach((cell, j) => fire(`value-${j}`, cell));
  const shares = [...document.querySelectorAll("#answer data[data-class]")];
  return {
    code: Number(document.querySelector("#answer .answer").value),
    shares: shares.sort(byClass).map(({ value }) => Number(value)),
    end: document.querySelectorAll(".leaf.on").length,
    steps: [...document.querySelectorAll("#steps b")].map(({ textContent }) => textContent),
  };
});
"""


def mixed(n_classes=2):
    """Numbers and categories with a class that depends on both."""
    rng = np.random.default_rng(3)
    n = 240
    X = pd.DataFrame(
        {
            "length": rng.normal(5, 2, n),
            "color": pd.Categorical(rng.choice(["red", "green", "blue"], n)),
            "smooth": rng.random(n) < 0.5,
            "width": rng.normal(0, 1e-3, n),
        }
    )
    score = X["length"] - 3 * (X["color"] == "red") + 800 * X["width"] * X["smooth"]
    return X, np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))


def with_holes(X, share=0.15):
    rng = np.random.default_rng(4)
    return (
        X.astype(object)
        .mask(rng.random(X.shape) < share)
        .astype(X.dtypes.replace("bool", "object"))
    )


def fresh_rows(X, holes):
    """Rows whose cells come from different rows, numbers moved a little, some cells missing."""
    rng = np.random.default_rng(5)
    mix = pd.DataFrame(
        {name: X[name].to_numpy()[rng.integers(0, len(X), N_ROWS)] for name in X.columns}
    ).astype(X.dtypes)
    for name in X.select_dtypes("float"):
        mix[name] = mix[name] + rng.normal(0, X[name].std() / 3, N_ROWS)
    return with_holes(mix) if holes else mix


def costly():
    return [[0.0, 1.0, 5.0], [1.0, 0.0, 1.0], [9.0, 1.0, 0.0]]


def numbers():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X, y.to_numpy()


def a_third_of_iris():
    X, y = numbers()
    return X[::3], y[::3]


def two_of_iris():
    X, y = numbers()
    return X[50:], y[50:]


def corners():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((120, 2)), columns=["a", "b"])
    return X, np.where((X["a"] > 0.5) == (X["b"] > 0.5), "same", "differ")


CASES = {
    "readable": (PlaneTreeClassifier(size="accurate"), mixed),
    "readable soft": (PlaneTreeClassifier(grading="soft"), lambda: mixed(3)),
    "readable hard": (PlaneTreeClassifier(grading=None), mixed),
    "readable corners": (PlaneTreeClassifier(), corners),
    "readable products": (PlaneTreeClassifier(products="all"), corners),
    "readable with costs": (PlaneTreeClassifier(costs=costly()), lambda: mixed(3)),
    "c45": (C45Classifier(), lambda: mixed(3)),
    "c45 subsets": (C45Classifier(subsets=True, arithmetic="double"), mixed),
    "separators": (SeparatorTreeClassifier(pruning=None, costs=costly()), lambda: mixed(3)),
    "robust": (RobustSeparator(), numbers),
    "sparse": (SparseSeparator(), mixed),
    "both": (BilinearSeparator(topology="first"), two_of_iris),
    "same side": (BilinearSeparator(topology="alternating"), corners),
    "multisurface": (MultisurfaceClassifier(), two_of_iris),
    "centroids": (CentroidSelector(), numbers),
    "biclusters": (BiclusteringSelector(), a_third_of_iris),
}


def tried(case, folder):
    """A model of a case, rows for it, its page, and the script that types them into its form."""
    chosen, make = CASES[case]
    model, (X, y) = clone(chosen), make()
    is_tree = get_tags(model).input_tags.allow_nan and not hasattr(model, "get_support")
    fitted_to = with_holes(X, 0.05) if is_tree else X  # selectors report rows without gaps
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(fitted_to, y)
    page = planetree.report(model, fitted_to, y, folder / f"{case}.html")
    rows = fresh_rows(X, fitted_tree(model).missing)
    return model, rows, page, f"const ROWS = {typed(page, fitted_tree(model), rows)};" + FILL


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """For each case the model, rows, and what the form says of them, all in one browser."""
    folder = tmp_path_factory.mktemp("forms")
    cases = [tried(case, folder) for case in CASES]
    said = run_all([(page, script) for _, _, page, script in cases])
    pairs = zip(cases, said, strict=True)
    return dict(zip(CASES, [(*case[:2], found) for case, found in pairs], strict=True))


@pytest.mark.parametrize("case", CASES)
def test_the_form_answers_as_the_model_does(case, answers):
    model, rows, found = answers[case]
    fitted = fitted_tree(model)
    assert [model.classes_[each["code"]] for each in found] == model.predict(rows).tolist()
    assert len({each["code"] for each in found}) > 1
    assert_true_steps([step for each in found for step in each["steps"]])
    if hasattr(model, "predict_proba") and not isinstance(model, BilinearSeparator):
        shares = np.array([each["shares"] for each in found])
        np.testing.assert_allclose(shares, model.predict_proba(rows), rtol=0, atol=1e-12)
    if fitted.missing:
        ends = [each["end"] for each in found]
        reached = model.decision_path(rows)[:, fitted.tree.n_branches == 0].sum(axis=1)
        assert ends == np.asarray(reached).ravel().tolist()
        assert max(ends) > 1


def assert_true_steps(steps):
    """Of every step, the value said satisfies the way said, up to the digits shown."""
    number = r"(-?[\d.]+(?:e[+-]?\d+)?)"
    for step in steps:
        if match := re.search(rf"= {number} → ([≤≥<>]) {number}$", step):
            value, sign, at = float(match[1]), match[2], float(match[3])
            room = 2e-3 * max(abs(value), abs(at))
            assert value <= at + room if sign in "≤<" else value >= at - room, step


def typed(page, fitted, rows):
    """What a reader would type into the form for each row, field by field."""
    data = page.read_text("utf-8").split('id="model">')[1].split("</script>")[0]
    place = {column.name: j for j, column in enumerate(fitted.columns)}
    order = [place[column["name"]] for column in json.loads(data)["columns"]]
    assert sorted(order) == fitted.tree.features.tolist()
    values = Table.read(rows, fitted.columns).values[:, order]
    is_code = [fitted.columns[j].categories is not None for j in order]
    return json.dumps(
        [
            [
                "" if np.isnan(cell) else str(int(cell)) if code else repr(float(cell))
                for cell, code in zip(row, is_code, strict=True)
            ]
            for row in values
        ]
    )


def test_the_number_that_c45_reads_as_missing_is_missing_in_the_form(tmp_path):
    X, y = numbers()
    model = C45Classifier().fit(X, y)
    page = planetree.report(model, X, y, tmp_path / "page.html")
    rows = X.iloc[[0, 60, 120]].copy()
    rows.iloc[:, 3] = -999.0
    found = run(page, f"const ROWS = {typed(page, fitted_tree(model), rows)};" + FILL)
    shares = np.array([each["shares"] for each in found])
    np.testing.assert_allclose(shares, model.predict_proba(rows), rtol=0, atol=1e-12)


def test_a_value_that_the_model_needs_is_asked_for(tmp_path):
    X, y = numbers()
    page = planetree.report(RobustSeparator().fit(X, y), X, y, tmp_path / "page.html")
    said = run(
        page,
        "const label = [...document.querySelectorAll('#fields label')]"
        ".find(({ textContent }) => textContent === 'sepal width (cm)');"
        "const input = label.control; input.value = '';"
        "input.dispatchEvent(new Event('input'));"
        "return document.getElementById('answer').textContent;",
    )
    assert said == "Enter a value for sepal width (cm)."
