"""Large trees, many classes, phones, other scripts: the page in a browser, light and dark."""

import re

import numpy as np
import pandas as pd
import pytest
from browser import run, run_all
from sklearn.datasets import load_breast_cancer, load_digits, load_iris

import planetree
from planetree import C45Classifier, PlaneTreeClassifier

PHONE = "--window-size=500,900"  # a window of Chromium is not narrower
LONG = "petal length of the flower that the gardener measured in the early morning (cm)"


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    X, y = load_digits(return_X_y=True)
    model = C45Classifier().fit(X, y)
    return planetree.report(model, X, y, tmp_path_factory.mktemp("digits") / "page.html"), model


@pytest.fixture(scope="module")
def cancer(tmp_path_factory):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = np.where(y, "benign", "malignant")
    model = PlaneTreeClassifier(size="accurate").fit(X, y)
    path = tmp_path_factory.mktemp("cancer") / "page.html"
    return planetree.report(model, X, y, path, groups=X["mean radius"]), model, X, y


def test_search_overview_and_paths_of_ninety_leaves(digits):
    page, model = digits
    tree = model.tree_
    column = int(tree.features[-1])
    asks = sum(split is not None and column in split.features for split in tree.splits)
    found = run(
        page,
        "const $ = (id) => document.getElementById(id), box = $('search');"
        "const cells = $('overview').querySelectorAll('.part').length;"
        "const ends = $('overview').querySelectorAll('.end').length;"
        "const before = document.querySelectorAll('#tree .node').length;"
        f"box.value = 'x{column}'; box.dispatchEvent(new Event('input'));"
        "const said = $('found').textContent;"
        "const marked = [...document.querySelectorAll('#tree .match')].map((n) => "
        "n.querySelector('.asked').textContent);"
        "const last = [...$('overview').querySelectorAll('.end')].at(-1);"
        "last.dispatchEvent(new Event('click'));"
        "const node = last.dataset.node, shown = document.querySelector(`#tree "
        "[data-node='${node}']`) !== null;"
        "last.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));"
        "const way = [...document.querySelectorAll('#tree .node.near')].map((n) => "
        "Number(n.dataset.node));"
        "return { cells, ends, before, said, marked, node: Number(node), shown, way };",
    )
    assert (found["cells"], found["ends"]) == (tree.n_nodes, tree.n_leaves)
    assert found["before"] < tree.n_nodes
    assert int(re.match(r"\d+", found["said"])[0]) >= asks > 0
    assert found["marked"]
    assert all(f"x{column}" in text for text in found["marked"])
    assert found["shown"]
    expected, node = [], found["node"]
    parent = {int(c): n for n in range(tree.n_nodes) for c in tree.children_of(n)}
    while node in parent:
        expected.append(node)
        node = parent[node]
    assert sorted(found["way"]) == sorted([0, *expected])


def test_bars_of_ten_classes_show_the_three_largest_and_the_rest(digits):
    page, model = digits
    widths = run(
        page,
        "const node = document.querySelector('#tree [data-node=\"0\"]');"
        "return [...node.children].filter((g) => g.querySelector(':scope > .track'))"
        ".map((g) => [...g.querySelectorAll('rect:not(.track)')].map((r) => "
        "[Number(r.getAttribute('width')), r.getAttribute('fill')]))[0];",
    )
    counts = np.sort(model.tree_.class_weights[0])[::-1]
    shares = [*counts[:3], counts[3:].sum()] / counts.sum()
    assert widths[3][1] == "var(--class-rest)"
    np.testing.assert_allclose([w for w, _ in widths] / np.sum([w for w, _ in widths]), shares)


def test_a_tree_on_a_phone_is_a_list_in_the_words_of_the_rules(cancer, digits):
    page, model, *_ = cancer
    script = (
        "const seen = (id) => document.getElementById(id).checkVisibility();"
        "const items = [...document.querySelectorAll('#outline li')];"
        "return { tree: seen('tree'), list: seen('outline'), ids: items.map((li) => "
        "Number(li.dataset.node)),"
        "wide: document.documentElement.scrollWidth, first: "
        "items[0].querySelector('b').textContent,"
        "rules: document.querySelector('#rules ol').textContent };"
    )
    phone, many = run_all([(page, script), (digits[0], script)], PHONE)
    assert (phone["tree"], phone["list"]) == (False, True)
    assert sorted(phone["ids"]) == [*range(1, model.tree_.n_nodes)]
    assert max(phone["wide"], many["wide"]) <= 500
    terms, threshold = re.fullmatch(r"(.*) [≤>] (\S+)", phone["first"]).groups()
    assert f"{terms} > {threshold}" in phone["rules"]
    wide = run(page, script)
    assert (wide["tree"], wide["list"]) == (True, False)


def test_rules_nodes_and_list_are_matched_by_pointing(cancer):
    page, model, X, _ = cancer
    found = run(
        page,
        "const point = (at) => at.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));"
        "const near = (of) => [...document.querySelectorAll(`${of} .near`)];"
        "const rules = [...document.querySelectorAll('#rules li')];"
        "return rules.map((rule) => { point(rule); return { leaves: rule.dataset.leaves,"
        "tree: near('#tree').filter((n) => n.matches('.leaf')).map((n) => "
        "n.dataset.node).sort().join(' '),"
        "list: near('#outline').filter((n) => !n.querySelector('details')).map((n) => "
        "n.dataset.node).sort().join(' '),"
        "text: rule.innerText }; }).concat([(() => { const leaf = document.querySelector('#tree "
        ".leaf'); point(leaf);"
        "return { leaf: leaf.dataset.node, rules: near('#rules').map((n) => n.dataset.leaves) "
        "}; })()]);",
    )
    *rules, pointed = found
    for rule in rules:
        leaves = " ".join(sorted(rule["leaves"].split()))
        assert rule["tree"] == rule["list"] == leaves
    assert pointed["rules"] == [pointed["leaf"]]
    reached = {leaf for rule in rules for leaf in rule["leaves"].split()}
    assert reached == set(map(str, model.apply(X)))


def test_the_threshold_counts_rows_and_costs_as_scikit_learn_counts_them(cancer):
    from sklearn.metrics import confusion_matrix

    page, model, X, y = cancer
    shares = model.predict_proba(X)[:, 1]
    at = 37
    (_, alarms), (missed, right) = confusion_matrix(y == "malignant", shares >= at / 100)
    said = run(
        page,
        "const $ = (id) => document.getElementById(id);"
        f"$('threshold-at').value = {at}; $('cost-miss').value = 10;"
        "$('threshold-at').dispatchEvent(new Event('input'));"
        "const text = ['found', 'missed', 'alarms', 'cost'].map((k) => $(`said-${k}`).textContent);"
        "$('to-best').click(); return [...text, $('said-cost').textContent, "
        "$('said-best').textContent];",
    )
    assert said[0].startswith(f"{right} of 212 ")
    assert said[1] == str(missed)
    assert said[2].startswith(f"{alarms} of 357 ")
    assert float(said[3].split()[0]) == pytest.approx((10 * missed + alarms) / 569, rel=1e-3)
    costs = [
        10 * np.sum((shares < t / 100) & (y == "malignant"))
        + np.sum((shares >= t / 100) & (y == "benign"))
        for t in range(101)
    ]
    assert float(said[4].split()[0]) == pytest.approx(min(costs) / 569, rel=1e-3)
    assert said[5].endswith(said[4])


def test_errors_by_group_add_up_to_all_errors(cancer):
    page, model, X, y = cancer
    text = page.read_text("utf-8")
    part = re.search(r'<section id="groups">.*?</section>', text, re.S)[0]
    cells = re.findall(r"<td>([^<]*)</td>", part)
    rows, errors = cells[::5], cells[1::5]
    assert sum(map(int, rows)) == len(y)
    wrong = sum(int(n) * float(e.rstrip("%")) / 100 for n, e in zip(rows, errors, strict=True))
    assert wrong == pytest.approx(np.sum(model.predict(X) != y), abs=0.5)
    with pytest.raises(ValueError, match="a value for each of the 569 rows"):
        planetree.report(model, X, y, page, groups=pd.Series([1, 2], name="few"))


def test_right_to_left_names_and_long_names_in_light_and_dark(tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.columns = ["אורך עלה", "رقم (cm)", LONG, "petal width"]
    y = np.array(["ورد", "שושן", "virginica"])[y]
    model = C45Classifier().fit(X[[LONG, "אורך עלה", "رقم (cm)"]], y)
    page = planetree.report(model, X[[LONG, "אורך עלה", "رقم (cm)"]], y, tmp_path / "page.html")
    script = (
        "const asked = [...document.querySelectorAll('#tree .asked')].map((t) => t.textContent);"
        "const isolated = [...document.querySelectorAll('#outline b')].every((b) => "
        "b.querySelector('bdi'));"
        "const ink = getComputedStyle(document.body).color, bar = "
        "getComputedStyle(document.querySelector('#tree .card')).fill;"
        "return { asked, isolated, ink, bar };"
    )
    light = run(page, script)
    dark = run(page, "document.documentElement.dataset.theme = 'dark';" + script)
    assert light["isolated"]
    cut = [text for text in light["asked"] if "…" in text]
    assert cut
    assert all(text.startswith("petal") and text.endswith("(cm)") for text in cut)
    assert light["ink"] != dark["ink"]
    assert light["bar"] != dark["bar"]
