"""The page: safe whatever the names are, whole, the same each time, and alive in a browser."""

import base64
import hashlib
import json
import re
import warnings
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from browser import dump, run
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.exceptions import NotFittedError
from test_contract import ESTIMATORS, fitted, two_classes

import planetree
from planetree import (
    C45Classifier,
    PairwiseSelector,
    PlaneTreeClassifier,
    RobustSeparator,
    SeparatorTreeClassifier,
)
from planetree.planes import Planes
from planetree.reporting.html import embed, tag
from planetree.tree import Tree
from planetree.tree.classifier import TreeClassifier

HOSTILE = [
    "</script><script>document.title='lost'</script>",
    '"><img src=x onerror="document.title=\'lost\'">',
    "<!-- ' & \" --> `${1}` \\u003c",
    "größe 青 \u2028 \x00 \x1b",
]

LOOK = """
document.querySelectorAll(".node").forEach((node) => node.focus());
const texts = (chosen) => [...document.querySelectorAll(chosen)].map((each) => each.textContent);
return {
  images: document.images.length,
  italics: document.querySelectorAll("i:not(.dot):not(.meter i)").length,
  heading: texts("h1")[0],
  title: document.title,
  labels: texts("#fields label"),
  options: texts("#fields option"),
};
"""


class Structure(HTMLParser):
    """Elements with the names of their attributes, the embedded data, and the text."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.values, self.scripts, self._inside = [], [], [], False
        self.feed(text)

    def handle_starttag(self, name, attributes):
        self.elements.append((name, tuple(key for key, _ in attributes)))
        self.values.extend(attributes)
        self._inside = name == "script"

    def handle_data(self, data):
        if self._inside:
            self.scripts.append(data)
            self._inside = False


def named(names):
    """A table of two numbers and a category, with two classes, under some names."""
    rng = np.random.default_rng(0)
    a, b, color, category, yes, no = names
    both = [category, "!" + category]  # pandas 2.2 takes words that differ after a NUL for one
    word = pd.Categorical(np.resize(both, 80), categories=both)
    X = pd.DataFrame({a: rng.normal(size=80), b: rng.normal(size=80)})
    X[color] = word
    return X, [yes if each else no for each in (X[a] > 0) ^ (word.codes == 1)]


def page_of(names, path):
    X, y = named(names)
    return planetree.report(C45Classifier().fit(X, y), X, y, path).read_text("utf-8")


@pytest.fixture(scope="module")
def cancer():
    data = load_breast_cancer(as_frame=True)
    return data.data, data.target_names[data.target]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def accurate(cancer):
    return PlaneTreeClassifier(size="accurate").fit(*cancer)


@pytest.fixture(scope="module")
def page(accurate, cancer, folder):
    return planetree.report(accurate, *cancer, folder / "cancer.html")


@pytest.fixture(scope="module")
def plain(folder):
    return Structure(page_of(["a", "b", "c", "d", "z", "y"], folder / "plain.html"))


letters = st.characters(codec="utf-8", exclude_characters="\x00")  # numpy drops it at the end
names = st.lists(
    st.text(letters, min_size=1, max_size=12) | st.sampled_from(HOSTILE),
    min_size=6,
    max_size=6,
    unique=True,
)


@given(names)
@settings(max_examples=10)
def test_no_name_changes_the_structure_of_the_page(folder, plain, given_names):
    given_names[4:] = sorted(given_names[4:], reverse=True)  # the classes keep their order
    found = Structure(page_of(given_names, folder / "names.html"))
    assert found.elements == plain.elements
    data = json.loads(found.scripts[0])
    assert data["classes"] == sorted(given_names[4:])
    assert {column["name"] for column in data["columns"]} <= set(given_names[:3])


@given(st.text())
def test_text_is_read_back_as_it_was(text):
    parsed = Structure(str(tag("td", text, title=text)))
    assert parsed.elements == [("td", ("title",))]
    assert parsed.values[0][1] == text
    assert json.loads(embed({"x": text})) == {"x": text}
    assert not set("<>&") & set(embed(text))


def test_names_from_right_to_left_do_not_turn_what_stands_beside_them(tmp_path):
    """Each name is isolated: a number after an Arabic name stayed on its left."""
    arabic, hebrew = "\u0627\u0644\u0648\u0632\u0646", "\u05d2\u05d9\u05dc"
    text = page_of([arabic, hebrew, "c", "d", arabic + "!", hebrew + "!"], tmp_path / "page.html")
    for name in (arabic, arabic + "!", hebrew + "!"):
        assert f"<bdi>{name}</bdi>" in text
    script = (
        "return [...document.querySelectorAll('#fields label, svg text')]"
        ".every((each) => getComputedStyle(each).unicodeBidi === 'isolate');"
    )
    assert run(tmp_path / "page.html", script)


def test_hostile_names_are_text_in_the_browser(tmp_path):
    text = [*HOSTILE[:3], "category </script>", "no <i>", "yes & 'all'"]
    page_of(text, tmp_path / "page.html")
    found = run(tmp_path / "page.html", LOOK)
    assert found["images"] == found["italics"] == 0
    assert found["heading"] == found["title"] == "no <i> or yes & 'all'"
    assert set(found["labels"]) <= set(text[:3])
    assert {"category </script>", "!category </script>"} <= set(found["options"])


def test_the_policy_admits_the_scripts_of_the_page_and_nothing_else(page):
    parsed = Structure(page.read_text("utf-8"))
    digest = base64.b64encode(hashlib.sha256(parsed.scripts[1].encode()).digest()).decode()
    policy = next(value for _, value in parsed.values if value and "script-src" in value)
    assert policy == (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    )
    assert len(parsed.scripts) == 2


def test_the_page_runs_under_its_policy_and_says_nothing_to_the_console(page, accurate, tmp_path):
    done = dump(page, tmp_path)
    assert "CONSOLE" not in done.stderr
    assert '<html lang="en" class="live">' in done.stdout
    assert done.stdout.count('class="node') == accurate.tree_.n_nodes


def test_the_page_asks_for_nothing_outside_itself(page):
    parsed = Structure(page.read_text("utf-8"))
    assert not {"src", "href", "action", "srcset", "data"} & {key for key, _ in parsed.values}
    style = page.read_text("utf-8").split("<style>")[1].split("</style>")[0]
    assert not re.search(r"url\(|@import", style)


def test_the_same_model_and_rows_give_the_same_bytes(page, cancer, tmp_path):
    model = PlaneTreeClassifier(size="accurate").fit(*cancer)
    again = planetree.report(model, *cancer, tmp_path / "again.html")
    assert again.read_bytes() == page.read_bytes()


@pytest.mark.parametrize("make", [PlaneTreeClassifier, SeparatorTreeClassifier, RobustSeparator])
def test_a_model_that_was_saved_and_loaded_has_the_same_page(make, tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = make().fit(X, y)
    planetree.save(model, tmp_path / "model.json")
    pages = [
        planetree.report(each, X, y, tmp_path / "page.html").read_bytes()
        for each in (model, planetree.load(tmp_path / "model.json"))
    ]
    assert pages[0] == pages[1]


def test_the_lead_of_the_drawing_is_a_whole_sentence_with_and_without_gray_zones(tmp_path):
    """That of a tree of hard decisions began in its middle."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    for model, end in (
        (C45Classifier(), "branches part. "),
        (PlaneTreeClassifier(), "is unsure. "),
    ):
        text = planetree.report(model.fit(X, y), X, y, tmp_path / "page.html").read_text("utf-8")
        lead = text.split('<section id="drawing">')[1].split('class="of-frame">')[1].split("<")[0]
        assert lead.startswith("A row starts at the left")
        assert lead.endswith(end)


def test_a_tree_of_a_hundred_leaves_takes_less_than_a_megabyte(tmp_path):
    X, y = load_digits(return_X_y=True)
    model = C45Classifier().fit(X, y)
    assert model.n_leaves_ > 90
    assert planetree.report(model, X, y, tmp_path / "page.html").stat().st_size < 1_000_000


def test_nodes_collapse_and_open_again(page, accurate):
    found = run(
        page,
        "const nodes = () => document.querySelectorAll('.node').length;"
        "const counts = [nodes()];"
        "for (const id of ['collapse', 'expand']) {"
        "document.getElementById(id).click(); counts.push(nodes()); }"
        "document.querySelector('.toggle').dispatchEvent(new Event('click')); counts.push(nodes());"
        "return counts;",
    )
    n_nodes = accurate.tree_.n_nodes
    assert n_nodes > 3
    assert found == [n_nodes, 3, n_nodes, 1]


def test_zoom_keeps_the_proportions_of_the_drawing(page):
    found = run(
        page,
        "const size = () => { const box = document.querySelector('#tree svg')"
        ".getBoundingClientRect(); return [box.width, box.height]; };"
        "const sizes = [size()];"
        "for (const id of ['closer', 'farther']) {"
        "document.getElementById(id).click(); sizes.push(size()); }"
        "return sizes;",
    )
    np.testing.assert_allclose(np.array(found[1]) / found[0], 1.25, rtol=1e-3)
    np.testing.assert_allclose(found[2], found[0], rtol=1e-3)


def test_the_card_of_a_node_says_its_plane_its_rows_and_its_proof(page):
    said = run(
        page,
        "const card = document.getElementById('card'), before = card.hidden;"
        "document.querySelector('.node').dispatchEvent(new Event('mouseenter'));"
        "return [before, card.hidden, card.innerText];",
    )
    assert said[:2] == [True, False]
    for part in ("worst perimeter", "malignant", "212", "357", "Threshold moved from"):
        assert part in said[2]


def test_light_and_dark_change_the_paper(page):
    colors = run(
        page,
        "const paper = () => getComputedStyle(document.body).backgroundColor;"
        "const found = [paper()]; document.getElementById('theme').click(); found.push(paper());"
        "document.getElementById('theme').click(); found.push(paper()); return found;",
    )
    assert colors == ["rgb(246, 247, 249)", "rgb(18, 22, 29)", "rgb(246, 247, 249)"]


def test_nothing_is_wider_than_a_phone(page):
    wide = run(page, "return document.documentElement.scrollWidth;", "--window-size=500,900")
    assert wide <= 500


def test_a_model_of_one_leaf_has_a_page_too(tmp_path):
    X, y = np.arange(20.0).reshape(-1, 1), np.resize(["a", "b"], 20)
    model = PlaneTreeClassifier(size="smallest").fit(X, y)
    assert model.n_leaves_ == 1
    found = run(
        planetree.report(model, X, y, tmp_path / "page.html"),
        "return document.querySelectorAll('.node').length;",
    )
    assert found == 1


@pytest.mark.parametrize("chosen", ESTIMATORS, ids=repr)
def test_every_classifier_by_planes_has_a_page_and_every_other_estimator_is_refused(
    chosen, tmp_path
):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, X = fitted(chosen, pd.DataFrame)
    _, y = two_classes()
    path = tmp_path / "page.html"
    made_of = [getattr(model, name, None) for name in ("tree_", "planes_", "estimator_")]
    if any(isinstance(part, (Planes, Tree, TreeClassifier)) for part in made_of):
        text = planetree.report(model, X, y, path).read_text("utf-8")
        assert f"{100 * model.score(X, y):.1f}%" in text
    else:
        with pytest.raises(TypeError, match=f"{type(model).__name__} is neither a tree nor planes"):
            planetree.report(model, X, y, path)
        assert not path.exists()


def test_what_cannot_be_shown_is_refused_and_nothing_is_written(cancer, tmp_path):
    X, y = cancer
    path = tmp_path / "page.html"
    with pytest.raises(NotFittedError):
        planetree.report(PlaneTreeClassifier(), X, y, path)
    small, labels = [[0.0, 5.0], [1.0, 0.0], [4.0, 4.0], [5.0, 1.0]], ["a", "a", "b", "b"]
    with pytest.raises(TypeError, match="PairwiseSelector is neither a tree nor planes"):
        planetree.report(PairwiseSelector().fit(small, labels), small, labels, path)
    model = RobustSeparator().fit(X, y)
    with pytest.raises(ValueError, match="y holds 'other'"):
        planetree.report(model, X, np.where(y == "benign", "other", y), path)
    with pytest.raises(ValueError, match="569 rows, but y has 3"):
        planetree.report(model, X, y[:3], path)
    with pytest.raises(ValueError, match="NaN"):
        planetree.report(model, X.mask(X > 100), y, path)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError):
        planetree.report(model, X, y, tmp_path / "nowhere" / "page.html")


def test_each_kept_decision_of_a_pruned_tree_has_its_own_proof(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = np.where(np.abs(X[:, 0] + 0.1 * rng.normal(size=200)) > 0.7, "out", "in")
    model = SeparatorTreeClassifier().fit(X, y)
    text = planetree.report(model, X, y, tmp_path / "page.html").read_text("utf-8")
    part = text.split('<section id="certificates">')[1].split("</section>")[0]
    values = [f"{each.objective:.6g}" for each in model.certificates_]
    assert len(values) == model.n_nodes_ - model.n_leaves_ > 1
    assert re.findall(r"<td>([^<]*)</td>", part)[::3] == values
