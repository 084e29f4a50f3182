"""The schema holds every public estimator, and its page says the same."""

from pathlib import Path

from test_contract import public_estimators

from planetree.model_files.schema import FITTED, PEERS, RECORDS, own_estimators


def test_every_public_estimator_can_be_held():
    assert set(public_estimators()) == set(own_estimators().values())


def test_the_page_on_model_files_has_the_schema():
    page = (Path(__file__).parents[2] / "docs" / "model_files.md").read_text("utf-8")
    table = page.split("### Fitted attributes")[1].split("###")[0]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    assert rows == [f"| `{name}` | {kind.says} |" for name, kind in FITTED.items()]
    assert all(f"| `{name}` | " in page for name in RECORDS)
    assert all(f"`{name}`" in page for name in PEERS)
