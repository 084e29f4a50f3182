"""Options said once: sizes in bytes, wishes for the readable tree, how files are read."""

import numpy as np
import pytest
import typer

from planetree.cli.options import Learning, TableFile, Wishes, _size_in_bytes
from planetree.cli.screen import Screen


@pytest.mark.parametrize(
    ("text", "size"),
    [("1", 1), ("500MB", 500 << 20), ("2 gb", 2 << 30), ("1.5k", 1536), ("3T", 3 << 40), (7, 7)],
)
def test_a_size_is_a_number_of_bytes_with_its_unit(text, size):
    assert _size_in_bytes(text) == size


@pytest.mark.parametrize("text", ["", "0", "-1", "MB", "1 XB", "1e9", "0.1"])
def test_a_size_that_is_none_is_refused(text):
    with pytest.raises(typer.BadParameter, match="is not a size"):
        _size_in_bytes(text)


def test_a_file_is_read_as_its_options_say():
    told = TableFile(delimiter="tab", no_header=True, rename=["AGE=age", "b=c"])
    reading = told.reading(categorical=["zip"], ignore=["id"])
    assert (reading.delimiter, reading.header) == ("\t", False)
    assert (list(reading.categorical), list(reading.ignore)) == (["zip"], ["id"])
    assert dict(reading.renamed) == {"AGE": "age", "b": "c"}
    with pytest.raises(typer.BadParameter, match="FILE=MODEL"):
        TableFile(rename=["AGE"]).reading()


def test_wishes_are_settings_of_the_readable_tree():
    asked = Wishes(
        size="accurate", require=["a"], forbid=["b"], increasing=["c"], feature_cost=["a=2"]
    )
    found = asked.settings(np.array(["no", "yes"]))
    assert found["size"] == "accurate"
    assert (found["required_features"], found["excluded_features"]) == (["a"], ["b"])
    assert (found["monotonic_cst"], found["feature_costs"]) == ({"c": 1}, {"a": 2.0})


def test_what_was_understood_of_a_table_is_said_in_its_numbers(tmp_path, capsys):
    lines = [f"{i},{'red' if i % 3 else 'blue'},,{'yes' if i % 2 else 'no'}" for i in range(20)]
    (tmp_path / "t.csv").write_text("\n".join(["n,color,empty,y", *lines]))
    screen = Screen()
    found = Learning().read(screen, str(tmp_path / "t.csv"), "y")
    assert (len(found.labels), len(found.table.columns)) == (20, 2)
    said = capsys.readouterr().out
    assert "20 rows, 2 columns to learn 'y' from." in said
    assert "no 10 (50%), yes 10 (50%)" in said
    assert "empty (" in said
