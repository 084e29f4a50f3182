"""Every messy file goes through fit, predict and report, and means what people mean by it."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from messy_files import AMOUNT, FILES, LABEL, rows

import planetree
from planetree.exceptions import FileError
from planetree.table import columns_read
from planetree.table_files import Reading, read_examples, read_file

FIT = ("--target", "status", "--method", "c45", "--folds", "0", "--model", "m.json")


def fitted(command, name, *more):
    done = command("fit", name, *FIT, "--force", "--json", *more)
    assert done.code == 0, done.out + done.err
    return done.json


@pytest.mark.parametrize("name", FILES)
def test_a_messy_file_goes_through_fit_predict_and_report(command, name):
    FILES[name](command.folder / name)
    said = fitted(command, name)
    kinds = {"amount": "numbers", "kind": "2 categories", "noise": "numbers"}
    if name == "zeros.csv":
        del kinds["noise"]
        assert "different values" in said["data"]["left_out"]["noise"]
    assert said["data"]["columns"] == kinds
    found = read_examples(command.folder / name, "status", reading=Reading())
    np.testing.assert_allclose(found.frame.column("amount").to_numpy(), AMOUNT)
    assert found.labels.tolist() == LABEL.tolist()
    predicted = command("predict", "m.json", name, "--target", "status")
    assert predicted.code == 0, predicted.err
    assert len(predicted.out.split()) == 61
    page = command("report", "m.json", name, "--target", "status", "--out", "r.html")
    assert page.code == 0, page.err


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("american.csv", "Column 'amount' is read as numbers: "),
        ("dollars.csv", "Column 'amount' is read as numbers: '$"),
        ("percent.csv", "%' as "),
        ("zeros.csv", "Column 'noise' holds codes with leading zeros, such as '0"),
    ],
)
def test_what_is_not_plain_is_said(command, name, note):
    FILES[name](command.folder / name)
    assert any(note in each for each in fitted(command, name)["notes"])


@pytest.mark.parametrize(
    "cells", [["$1,234", "€1,234"], ["2 %", "3"], ["1,23", "1.23"], ["12,34,567", "1"]]
)
def test_cells_that_are_written_in_two_ways_stay_text(tmp_path, cells):
    body = "".join(f'"{cell}",{label}\n' for cell, label in zip(cells * 2, "xxyy", strict=True))
    (tmp_path / "t.csv").write_text("a,status\n" + body)
    assert read_file(tmp_path / "t.csv").frame.column("a").to_pylist() == cells * 2


def test_zip_codes_stay_text_and_the_model_reads_them_again(command):
    zips = ["01001", "02139", "10001", "94103"]
    lines = [f"{zips[i % 4]},{'xy'[i % 4 == 1]}\n" for i in range(40)]
    (command.folder / "t.csv").write_text("zip,status\n" + "".join(lines))
    assert fitted(command, "t.csv")["data"]["columns"] == {"zip": "4 categories"}
    assert command("predict", "m.json", "t.csv").out.split()[1:5] == ["x", "y", "x", "x"]


def test_a_number_column_of_a_model_stays_numbers_in_a_file_with_zeros(command):
    lines = [f"{i},{'xy'[i > 19]}\n" for i in range(40)]
    (command.folder / "t.csv").write_text("a,status\n" + "".join(lines))
    fitted(command, "t.csv")
    (command.folder / "new.csv").write_text("a\n005\n035\n")
    assert command("predict", "m.json", "new.csv").out.split() == ["prediction", "x", "y"]


def test_a_class_called_na_is_a_class_and_is_said(command):
    lines = [f"{i},{['NA', 'EU', 'AS'][i // 20]}\n" for i in range(60)]
    (command.folder / "t.csv").write_text("a,status\n" + "".join(lines))
    said = fitted(command, "t.csv")
    assert said["data"]["classes"] == {"AS": 20, "EU": 20, "NA": 20}
    assert any("'NA' in column 'status' is read as a class" in note for note in said["notes"])
    again = fitted(command, "t.csv", "--missing", "NA")
    assert again["data"]["classes"] == {"AS": 20, "EU": 20}
    numbers = "a,status\n" + "".join(f"{i},{['NA', '0', '1'][i // 20]}\n" for i in range(60))
    (command.folder / "n.csv").write_text(numbers)
    assert fitted(command, "n.csv")["data"]["classes"] == {"0": 20, "1": 20}


def test_spellings_of_one_word_are_pointed_out(command):
    lines = [f"{['Yes', 'yes', 'no'][i % 3]},{i},{'xy'[i % 2]}\n" for i in range(60)]
    (command.folder / "t.csv").write_text("smokes,a,status\n" + "".join(lines))
    notes = fitted(command, "t.csv")["notes"]
    assert any("'smokes' holds 'Yes' and 'yes', which count as different" in n for n in notes)


def test_the_cell_that_differs_is_blamed():
    model = planetree.C45Classifier().fit(pd.DataFrame({"a": [1.0, 2, 3, 4]}), [0, 0, 1, 1])
    with pytest.raises(ValueError, match=r"row 2 .* holds 'tall'"):
        model.predict(pd.DataFrame({"a": ["1.5", "2.5", "tall"]}))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_keep_returns_the_cells_byte_for_byte(command, delimiter):
    cells = rows(noise=lambda n: f"{n:02d}", amount=lambda a: f"{a:.4f}")
    cells[3][1] = f'"N{delimiter}o, ""maybe"""'
    content = delimiter.join(("amount", "kind", "noise", "status")) + "\n"
    content += "".join(delimiter.join(row) + "\n" for row in cells)
    (command.folder / "t.csv").write_text(content)
    fitted(command, "t.csv")
    done = command("predict", "m.json", "t.csv", "--keep", "--probabilities", "--out", "p.csv")
    assert done.code == 0, done.err
    kept = (command.folder / "p.csv").read_text().splitlines()
    for own, line in zip(content.splitlines(), kept, strict=True):
        assert line.startswith(own + delimiter)
    found = list(csv.DictReader(io.StringIO("\n".join(kept)), delimiter=delimiter))
    assert {row["prediction"] for row in found} <= {"late", "paid"}
    assert float(found[0]["probability of late"]) + float(found[0]["probability of paid"]) == 1


def test_predict_needs_only_the_columns_that_the_model_reads(command):
    FILES["plain.csv"](command.folder / "plain.csv")
    fitted(command, "plain.csv")
    model = planetree.load(command.folder / "m.json")
    read = [model.columns_[j].name for j in columns_read(model)]
    assert len(read) < 3
    frame = pd.read_csv(command.folder / "plain.csv")
    frame[read].to_csv(command.folder / "part.csv", index=False)
    part = command("predict", "m.json", "part.csv")
    assert part.code == 0, part.err
    assert part.out == command("predict", "m.json", "plain.csv").out
    assert (
        model.predict(frame[read]).tolist() == model.predict(frame.drop(columns="status")).tolist()
    )
    frame.drop(columns=read).to_csv(command.folder / "other.csv", index=False)
    lacking = command("predict", "m.json", "other.csv").err
    assert "lacks a column that the model reads: " + repr(read[0]) in lacking
    with pytest.raises(ValueError, match="features"):
        model.predict(frame[read].to_numpy())


def test_pipes_carry_packed_tables_and_parquet(command):
    for name in ("packed.csv.gz", "packed.csv.zst", "frame.parquet", "frame.feather"):
        path = command.folder / name
        FILES[name](path)
        done = command("fit", "-", *FIT, "--force", "--json", stdin=path.read_bytes())
        assert done.code == 0, done.out
        assert done.json["data"]["rows"] == 60


def test_a_sheet_is_chosen_by_name(command):
    FILES["book.xlsx"](command.folder / "book.xlsx")
    assert fitted(command, "book.xlsx", "--sheet", "bills")["data"]["rows"] == 60
    wrong = command("fit", "book.xlsx", *FIT, "--force", "--sheet", "prices")
    assert "no sheet 'prices'; it has bills" in wrong.err
    (command.folder / "bad.xlsx").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(FileError, match="not a valid Excel file"):
        read_file(command.folder / "bad.xlsx")


def test_dates_become_numbers_on_request_and_are_hinted_at_otherwise(command):
    days = pd.date_range("2024-03-01", periods=60, freq="D")
    lines = [f"{day.date()},{i % 7},{'xy'[day.weekday() > 4]}\n" for i, day in enumerate(days)]
    (command.folder / "t.csv").write_text("sent,a,status\n" + "".join(lines))
    said = fitted(command, "t.csv")
    assert said["data"]["left_out"] == {"sent": "dates or times"}
    assert any("'sent' holds dates; --dates" in note for note in said["notes"])
    said = fitted(command, "t.csv", "--dates", "--ignore", "a")
    assert list(said["data"]["columns"]) == [
        "sent: year",
        "sent: month",
        "sent: weekday",
        "sent: days since 2024-03-01",
    ]
    assert "sent: weekday" in said["model"]
    (command.folder / "new.csv").write_text("sent\n2025-06-07\n2025-06-09\n")  # a Saturday first
    assert command("predict", "m.json", "new.csv").out.split() == ["prediction", "y", "x"]


def decimal_files(folder):
    """Training with decimal commas, and a new file whose cells alone would mean something else."""
    lines = [f"{n // 1000}.{n % 1000:03d},50;{'xy'[n > 4000]}\n" for n in range(1000, 7000, 100)]
    (folder / "train.csv").write_text("amount;status\n" + "".join(lines))
    (folder / "new.csv").write_text("amount\n5.250\n1.250\n")


def test_a_model_reads_numbers_as_in_training_and_says_so(command):
    """5.250 alone is 5.25; beside 5.250,50 in training it is 5250."""
    decimal_files(command.folder)
    fitted(command, "train.csv")
    assert planetree.load(command.folder / "m.json").decimals_ == {"amount": ","}
    done = command("predict", "m.json", "new.csv")
    assert done.out.split() == ["prediction", "y", "x"]
    assert "Column 'amount' is read with decimal commas, as in training; --decimal '.'" in done.err
    told = command("predict", "m.json", "new.csv", "--decimal", ".")
    assert told.out.split() == ["prediction", "x", "x"]
    assert "as in training" not in told.err


def test_numbers_that_cannot_be_written_as_in_training_are_read_as_they_are(command):
    decimal_files(command.folder)
    fitted(command, "train.csv")
    (command.folder / "new.csv").write_text("amount\n5250.5\n1250.25\n")
    done = command("predict", "m.json", "new.csv")
    assert done.out.split() == ["prediction", "y", "x"]
    assert "had decimal commas in training, but has decimal points here" in done.err
