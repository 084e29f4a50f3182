"""The page in a real browser: from a messy file to SQL that SQLite runs with the page's numbers."""

import re
import shutil
import sqlite3
import sys
from pathlib import Path

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


@pytest.mark.parametrize("width", [360, 768, 1600])
def test_no_screen_is_wider_than_the_window(model, width):
    model.set_viewport_size({"width": width, "height": 800})
    for screen in ("open", "columns", "goal", "model", "compare", "hand-over"):
        model.click(f"#to-{screen}")
        model.wait_for_selector("#screen section h2")
        wide = model.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, screen


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


def test_many_rows_and_many_columns_are_shown(page, studio):
    rows = "\n".join(f"{i % 97},{i % 89},{'ab'[i % 2]}" for i in range(100_000))
    (studio.folder / "long.csv").write_text(f"x,y,class\n{rows}\n")
    names = [f"c{j}" for j in range(300)]
    wide = [",".join(str((i * j) % 7) for j in range(300)) + f",{'ab'[i % 2]}" for i in range(60)]
    (studio.folder / "wide.csv").write_text("\n".join([",".join([*names, "class"]), *wide]) + "\n")
    page.click("#to-open")
    page.select_option("#file", "long.csv")
    page.wait_for_selector("#table-name:has-text('long.csv')")
    playwright.expect(page.locator("#columns .column")).to_have_count(2)
    page.click("#to-open")
    page.wait_for_selector("#preview:has-text('100,000 rows')")
    page.select_option("#file", "wide.csv")
    page.wait_for_selector("#table-name:has-text('wide.csv')")
    playwright.expect(page.locator("#columns .column")).to_have_count(300)
