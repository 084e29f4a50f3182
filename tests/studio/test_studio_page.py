"""The page in a real browser: from a messy file to SQL that SQLite runs with the page's numbers."""

import re
import shutil
import sqlite3
import sys
from pathlib import Path

import numpy as np
import pytest
from studio_process import studio_in
from tables import EVIL, HEBREW, QUOTED, messy_csv, plain_csv

sys.path.insert(0, str(Path(__file__).parents[1] / "reporting"))
from browser import NAMES

pytest.importorskip("starlette")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
FOUND = next(filter(None, map(shutil.which, NAMES)), None)
pytestmark = pytest.mark.skipif(FOUND is None, reason=f"no browser: none of {', '.join(NAMES)}")
PATIENCE = 120_000  # milliseconds: on a busy machine libraries take long to load


@pytest.fixture(scope="module")
def chromium():
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=FOUND, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    (folder / "plain.csv").write_text(plain_csv())
    with studio_in(folder) as found:
        yield found.log_in()


@pytest.fixture
def page(chromium, studio):
    """A new page; whatever it says to the console is an error of the test."""
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    found, said = context.new_page(), []
    found.set_default_timeout(PATIENCE)
    found.on("console", lambda message: said.append(message.text))
    found.on("pageerror", lambda error: said.append(str(error)))
    found.goto(studio.address)
    found.wait_for_selector("#screen section")
    yield found
    context.close()
    assert [text for text in said if "status of 400" not in text] == []


@pytest.fixture
def model(page, studio):
    """The page with the model of the plain table."""
    state = studio.state()
    fitted = state["project"] and state["project"]["fitted"]
    if not fitted or state["project"]["recipe"]["file"] != "plain.csv":
        studio.do("open", file="plain.csv")
    if not studio.state()["project"]["fitted"]:
        studio.do("choose", changes={"folds": 3})
        studio.do("fit")
    studio.wait(lambda state: state["work"] is None)
    while studio.state()["project"]["edits"]:
        studio.do("undo")
    studio.do("size", terms=None)
    page.click("#to-model")
    page.wait_for_selector("#tree .node")
    page.wait_for_selector("#size")
    return page


def drop(page, table):
    """Drop a file on the first screen."""
    page.click("#to-open")
    page.wait_for_selector("#drop", state="attached")
    page.set_input_files("#drop", table)


def text_of(page, selector):
    return page.inner_text(selector)


def test_from_a_messy_file_to_sql_that_sqlite_runs_with_the_numbers_of_the_page(page, tmp_path):
    table = tmp_path / "messy.csv"
    table.write_bytes(messy_csv().encode("utf-8"))
    drop(page, table)
    page.wait_for_selector("#columns .column")
    assert "identifier" in text_of(page, "#columns")
    assert "same value" in text_of(page, "#columns")
    page.click("button:has-text('Treat unknown as missing')")
    page.wait_for_selector(".column:has-text('6 missing')")
    page.select_option("select[aria-label='Use: id']", "ignore")
    page.wait_for_selector(".column.ignore")
    page.click("#to-goal")
    page.fill("#folds", "3")
    page.press("#folds", "Tab")
    page.click("#fit-goal")
    page.wait_for_selector("#sentences:has-text('Error on held-out rows')")
    right = text_of(page, "#figures .tile:has-text('training rows correct') b")
    page.click("#to-hand-over")
    page.wait_for_selector("#tried .badge, #tried.badge, p.badge")
    with page.expect_download() as download:
        page.click("#download-export")
    sql = Path(download.value.path()).read_text()
    assert percent_right(table, sql) == right


def percent_right(table, sql):
    """Share of the rows whose class SQLite gives, in the words of the page."""
    import csv

    with table.open(encoding="utf-8") as file:
        head, *rows = csv.reader(file, delimiter=";")
    connection = sqlite3.connect(":memory:")
    names = ", ".join('"' + name.replace('"', '""') + '"' for name in head)
    connection.execute(f"CREATE TABLE rows ({names})")
    for row in rows:
        connection.execute(f"INSERT INTO rows VALUES ({','.join('?' * len(row))})", cells(row))
    cursor = connection.execute(sql.rstrip().rstrip(";"))
    place = [each[0] for each in cursor.description].index("prediction")
    found = [row[place] == row[head.index("class")] for row in cursor.fetchall()]
    return f"{100 * sum(found) / len(found):.1f}%"


def cells(row):
    """Cells as a database has them: decimal commas as numbers, unknown as NULL."""
    return [None if cell == "unknown" else number_or_text(cell) for cell in row]


def number_or_text(cell):
    return float(cell.replace(",", ".")) if re.fullmatch(r"-?[\d,]+", cell) else cell


def test_names_and_cells_are_text_whatever_they_hold(page, studio, tmp_path):
    table = tmp_path / "messy.csv"
    table.write_bytes(messy_csv().encode("utf-8"))
    drop(page, table)
    page.wait_for_selector("#columns .column")
    for name in (EVIL, QUOTED, HEBREW):
        playwright.expect(page.locator("#columns")).to_contain_text(name)
    page.click("#to-open")
    page.wait_for_selector("#preview table")
    assert "<b>bold</b>" in text_of(page, "#preview table")
    assert "owned" not in page.title()
    assert page.locator("#screen script, #screen td b").count() == 0


def test_the_slider_draws_another_tree_with_its_own_error(model, studio):
    sizes = studio.state()["project"]["fitted"]["sizes"]
    smallest = min(sizes, key=lambda each: each["terms"])
    model.focus("#size")
    model.press("#size", "Home")
    model.wait_for_selector(f"#size-words:has-text('{smallest['error']}')")
    model.wait_for_selector("#tree .node >> nth=0")
    model.wait_for_selector(f"#sentences:has-text('{smallest['error']}')")
    playwright.expect(model.locator("#tree .node.leaf")).to_have_count(int(smallest["leaves"]))
    assert studio.state()["project"]["terms"] == smallest["at"]


def test_a_decision_is_questioned_replaced_and_put_back(model, studio):
    before = text_of(model, "#rules")
    model.click("[data-node='0'] .card")
    model.wait_for_selector("#take-1")
    offered = (
        model.locator("[aria-label='Alternatives'] tbody tr").nth(1).locator("th").inner_text()
    )
    assert offered
    model.click("#take-1")
    model.wait_for_selector("#edits li")
    playwright.expect(model.locator("#rules")).not_to_have_text(before)
    model.click("#undo")
    playwright.expect(model.locator("#edits li")).to_have_count(0)
    assert text_of(model, "#rules") == before
    model.fill("#typed", "age > 48.5")
    model.click("#put")
    playwright.expect(model.locator("#edits li:has-text('age > 48.5')")).to_be_visible()


def test_what_is_typed_stays_when_alternatives_and_changes_arrive_late(model, studio):
    """Answers are held back until the field holds half a decision; the other half follows."""
    held = []
    model.route("**/api/alternatives", lambda route: held.append(route))
    model.click("#tree .node >> nth=0")
    model.wait_for_selector("#question-title")
    model.focus("#typed")
    model.keyboard.type("age > ")
    while not held:
        model.wait_for_timeout(20)
    for each in held:
        each.continue_()
    model.wait_for_selector("#take-1")
    model.keyboard.type("48")
    studio.do("choose", changes={"size": "accurate"})  # every page hears of it
    model.wait_for_selector("#banner .note:has-text('have changed')")
    model.keyboard.type(".5")
    assert model.input_value("#typed") == "age > 48.5"
    studio.do("choose", changes={"size": "balanced"})
    model.wait_for_selector("#banner .note:has-text('have changed')", state="detached")
    assert model.input_value("#typed") == "age > 48.5"


def test_a_field_that_is_drawn_anew_keeps_what_was_typed_until_then(model, studio):
    held = []
    model.click("#to-goal")
    model.wait_for_selector("#folds")
    model.route("**/api/files", lambda route: held.append(route))  # drawn once it is answered
    model.focus("#folds")
    model.fill("#folds", "1")
    studio.do("choose", changes={"metric": "auc"})
    while not held:
        model.wait_for_timeout(20)
    model.keyboard.type("2")
    model.evaluate("document.getElementById('folds').dataset.old = 'yes'")
    for each in held:
        each.continue_()
    model.wait_for_selector("#folds:not([data-old])")
    playwright.expect(model.locator("#folds")).to_be_focused()
    assert model.input_value("#folds") == "12"
    model.unroute("**/api/files")
    studio.do("choose", changes={"metric": "error"})


def test_two_tabs_agree_and_a_reload_in_the_middle_loses_nothing(model, chromium, studio):
    context = chromium.new_context()
    other = context.new_page()
    other.set_default_timeout(PATIENCE)
    other.goto(studio.address)
    other.click("#to-model")
    other.wait_for_selector("#size-words")
    model.focus("#size")
    model.press("#size", "Home")
    playwright.expect(other.locator("#size-words")).to_have_text(text_of(model, "#size-words"))
    studio.do("search", evaluations=100_000)
    model.reload()
    model.wait_for_selector("#work:not([hidden])")
    model.wait_for_selector("#size-words")
    model.click("#cancel")
    other.wait_for_selector("#work", state="hidden", timeout=3000)
    context.close()


def test_the_button_that_cancels_is_not_drawn_anew_while_it_is_pressed(model, studio):
    """Progress comes many times a second; a click is a press and a release on the same button."""
    studio.do("search", evaluations=100_000)
    model.wait_for_selector("#work:not([hidden])")
    model.evaluate("document.getElementById('cancel').dataset.old = 'yes'")
    before = text_of(model, "#work-words")
    playwright.expect(model.locator("#work-words")).not_to_have_text(before, timeout=30_000)
    assert model.get_attribute("#cancel", "data-old") == "yes"
    model.click("#cancel")
    model.wait_for_selector("#work", state="hidden")
    model.click("#to-compare")
    model.wait_for_selector("#search-words:has-text('of 100000 evaluations')")


def test_classes_are_weighed_by_numbers(model, studio):
    model.click("#to-goal")
    model.select_option("#class-weight", "own")
    model.fill("#weight-ill", "3")
    model.press("#weight-ill", "Tab")
    studio.wait(lambda state: state["project"]["recipe"]["class_weight"] == "ill=3,well=1")
    model.select_option("#class-weight", "")
    studio.wait(lambda state: state["project"]["recipe"]["class_weight"] is None)


def test_what_went_wrong_is_told_until_something_else_is_done(model):
    model.click("[data-node='0'] .card")
    model.fill("#typed", "no such column > 1")
    model.click("#put")
    model.wait_for_selector(".message.error:has-text('no such column')")
    model.fill("#typed", "age > 48.5")
    model.click("#put")
    model.wait_for_selector("#edits li:has-text('age > 48.5')")
    assert model.locator(".message.error").count() == 0


def test_columns_of_one_table_are_not_shown_with_the_name_of_another(page, studio):
    """The screen changes while the page does not know yet what is open."""
    studio.do("open", file="plain.csv")
    (studio.folder / "other.csv").write_text("size,class\n" + "1,a\n2,b\n" * 20)
    page.click("#to-open")
    page.reload()
    page.wait_for_selector("#preview table")
    held, asked = [], []
    page.route("**/api/state", lambda route: held.append(route))
    page.on("request", lambda request: asked.append(request.url))
    page.select_option("#file", "other.csv")
    page.wait_for_url("**#columns")
    page.wait_for_timeout(1000)
    assert not any(url.endswith("/api/columns") for url in asked)
    assert held
    page.unroute("**/api/state")  # which lets them go
    page.wait_for_selector("#columns .column[aria-label='size']")
    assert page.locator("#target option").all_inner_texts()[1:] == [
        "size (2 values)",
        "class (2 values)",
    ]
    studio.do("open", file="plain.csv")


def test_what_was_asked_about_rows_of_one_table_is_not_asked_about_another(model, studio):
    """The filter was kept with a column that the other table lacks, and the screen stayed empty."""
    model.click("#to-rows")
    model.select_option("#filter", "all")
    model.select_option("#by-column", "age")
    model.fill("#by-value", "> 20")
    model.press("#by-value", "Tab")
    model.click("#row-45")  # which the other table lacks too
    model.wait_for_selector("#row-part")
    (studio.folder / "few.csv").write_text("size,class\n" + "1,a\n2,b\n" * 20)
    studio.do("open", file="few.csv")
    studio.do("choose", changes={"folds": 2})
    studio.do("fit")
    studio.wait(lambda state: state["project"]["fitted"])
    model.wait_for_selector("#table-name:has-text('few.csv')")
    model.click("#to-rows")
    model.wait_for_selector("#rows-part-title:has-text('0 rows')")
    assert model.locator("#row-part").count() == 0
    studio.do("open", file="plain.csv")


def test_a_browser_without_a_clipboard_selects_what_is_to_be_copied(model):
    """Over a connection that is not encrypted nothing happened."""
    model.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    model.click("#to-hand-over")
    model.click("#command-code-copy")
    model.wait_for_selector(".message:has-text('press Ctrl+C')")
    copied = model.evaluate("getSelection().toString()")
    assert copied == text_of(model, "#command-code")


def test_a_bad_file_is_told_of_and_the_page_lives_on(page, tmp_path):
    bad = tmp_path / "bad.csv"
    bad.write_bytes(bytes(range(256)))
    drop(page, bad)
    page.wait_for_selector(".message:has-text('not a text table')")
    page.click(".message button")
    assert page.locator("#opening").count() == 1


def test_the_keyboard_reaches_every_control_and_each_has_a_name(model):
    for screen in ("open", "columns", "goal", "model", "rows", "compare", "score", "hand-over"):
        model.focus(f"#to-{screen}")
        model.keyboard.press("Enter")
        model.wait_for_selector("#screen section h2")
        nameless = model.locator("#screen").evaluate(
            """(box) => [...box.querySelectorAll("button, input, select, a[href], iframe")]
              .filter((each) => !(each.labels?.length || each.ariaLabel || each.title))
              .filter((each) => !each.textContent.trim()).map((each) => each.outerHTML)"""
        )
        assert nameless == [], screen
        assert model.locator("[tabindex]:not([tabindex='0']):not([tabindex='-1'])").count() == 0


def test_a_kind_is_one_click_from_another_on_the_screen_of_columns(model, studio):
    model.click("#to-columns")
    model.click("button[aria-label='age: numbers. Read it as categories.']")
    model.wait_for_selector("button[aria-label='age: categories. Read it as numbers.']")
    assert studio.state()["project"]["recipe"]["categorical"] == ["age"]
    model.click("button[aria-label='age: categories. Read it as numbers.']")
    model.wait_for_selector("button[aria-label='age: numbers. Read it as categories.']")


FAINT = """() => {
  const parse = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (each) => {
    for (let at = each; at; at = at.parentElement) {
      const found = parse(getComputedStyle(at).backgroundColor);
      if (found.length === 3 || found[3] === 1) return found;
    }
    return [255, 255, 255];
  };
  const own = (each) => [...each.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
  const faint = (each) => {
    const style = getComputedStyle(each);
    const over = light(ground(each)), ink = light(parse(style.color));
    const ratio = (Math.max(over, ink) + 0.05) / (Math.min(over, ink) + 0.05);
    return ratio < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5);
  };
  return [...document.querySelectorAll("body *:not(script, style, noscript, svg *, option)")]
    .filter((each) => own(each) && each.checkVisibility())
    .filter((each) => !each.closest("[disabled], [aria-disabled]") && faint(each))
    .map((each) => each.outerHTML.slice(0, 200));
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(model, scheme):
    """WCAG 2, level AA: 4.5 to 1, and 3 to 1 for large text."""
    model.emulate_media(color_scheme=scheme)
    for screen in ("open", "columns", "goal", "model", "rows", "compare", "hand-over"):
        model.click(f"#to-{screen}")
        model.wait_for_selector("#screen section h2")
        model.mouse.move(0, 0)
        assert model.evaluate(FAINT) == [], screen


@pytest.mark.parametrize("width", [360, 768, 1600])
def test_no_screen_is_wider_than_the_window(model, width):
    model.set_viewport_size({"width": width, "height": 800})
    for screen in ("open", "columns", "goal", "model", "compare", "hand-over"):
        model.click(f"#to-{screen}")
        model.wait_for_selector("#screen section h2")
        wide = model.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, screen
        # In one look: the page draws its steps anew whenever an event comes.
        left, right = model.evaluate(
            "(({left, right}) => [left, right])"
            "(document.querySelector('#steps-of-work [aria-current]').getBoundingClientRect())"
        )
        assert 0 <= left < right <= width, screen


def test_the_page_comes_from_this_machine_alone_and_is_small(chromium, studio):
    context = chromium.new_context()
    page, asked = context.new_page(), []
    page.on("response", lambda answer: asked.append(answer))
    page.goto(studio.address)
    page.wait_for_selector("#screen section")
    parts = [each for each in asked if "/static/" in each.url or each.url.endswith("/")]
    assert all(each.url.startswith(f"http://{studio.host}/") for each in asked)
    assert 40_000 < sum(len(each.body()) for each in parts if each.status == 200) < 300_000
    context.close()


@pytest.mark.parametrize(
    ("name", "n_rows", "n_columns"), [("long.csv", 100_000, 3), ("wide.csv", 90, 300)]
)
def test_many_rows_and_many_columns_become_a_model(page, studio, name, n_rows, n_columns):
    """The class is whether the first column is above its middle, with one row in ten wrong."""
    rng = np.random.default_rng(0)
    cells = rng.integers(0, 100, (n_rows, n_columns))
    labels = np.where((cells[:, 0] > 49) ^ (rng.random(n_rows) < 0.1), "yes", "no")
    head = ",".join([*(f"c{j}" for j in range(n_columns)), "class"])
    rows = (f"{','.join(map(str, row))},{y}" for row, y in zip(cells, labels, strict=True))
    (studio.folder / name).write_text("\n".join([head, *rows]) + "\n")
    page.click("#to-open")
    page.select_option("#file", name)
    page.wait_for_selector(f"#table-name:has-text('{name}')")
    playwright.expect(page.locator("#columns .column")).to_have_count(n_columns)
    studio.do("choose", changes={"folds": 2})
    page.click("#fit-now")
    page.wait_for_selector("#sentences:has-text('Error on held-out rows')")
    assert f"of {n_rows:,} training rows correct" in text_of(page, "#figures")
    assert re.search(r"\bc0\b", text_of(page, "#rules"))
    page.click("#to-rows")
    page.wait_for_selector("#rows-part .small-button")
