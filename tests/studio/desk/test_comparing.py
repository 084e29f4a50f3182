"""Methods beside each other while they run, and a search that goes on where it was left."""

from planetree.studio.desk.comparing import compare, search


def test_records_come_while_methods_run_and_the_last_are_the_answer(at_work):
    at_work.hears.clear()
    found = compare(at_work.desk, at_work.recipe, ["c45"], 60.0)["records"]
    assert {each["method"] for each in found} == {"majority", "c45"}
    shown = [each["records"] for each in at_work.hears if "records" in each]
    assert [each["method"] for each in shown[-1]] == [each["method"] for each in found]
    assert [each["done"] for each in at_work.hears if "done" in each] == [1, 2]
    best = min(found, key=lambda each: each["error"])
    assert found[0] == best
    assert best["error_text"] == f"{100 * best['error']:.1f}%"


def test_a_search_of_more_evaluations_begins_with_those_it_has(at_work):
    first = search(at_work.desk, at_work.recipe, 12)
    second = search(at_work.desk, at_work.recipe, 18)
    assert second["history"][: len(first["history"])] == first["history"]
    assert (second["done"], second["total"]) == (18, 18)
    assert set(second["kept"]) <= {"age", "dose", "color", "site"}
