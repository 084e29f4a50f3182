"""When a number of ours is worse than a printed one."""

from decimal import Decimal

import pandas as pd
import pytest
from scipy import stats

from experiments.harness import comparison
from experiments.harness.printed import Item, half_digit
from experiments.harness.statistics import corrected_resampled_t


def one_cell(measure, printed, values, **item):
    keys = {"set": "Heart", "method": "RLP"}
    row = keys | {measure: printed}
    frame = pd.DataFrame(
        {**keys, "repeat": 0, "fold": range(len(values)), "rows": 30, measure: values}
    )
    described = Item("table-1", "", printed=(row,), **item)
    (found,) = [c for c in comparison.cells(described, frame) if c.measure == measure]
    return found, described


@pytest.mark.parametrize(
    ("printed", "half"), [("6.2", 0.05), ("12.0", 0.05), ("12", 0.5), ("7069.3582", 0.00005)]
)
def test_a_printed_number_is_known_to_half_its_last_digit(printed, half):
    assert half_digit(Decimal(printed)) == pytest.approx(half)


@pytest.mark.parametrize(("ours", "miss"), [(6.1, False), (6.24, False), (6.26, True)])
def test_a_count_misses_when_rounding_cannot_hide_it(ours, miss):
    assert one_cell("features", Decimal("6.2"), [ours])[0].miss is miss


def test_an_error_misses_only_when_it_is_significantly_above():
    printed = Decimal("16.5")
    assert not one_cell("error", printed, [18.0] * 10)[0].miss
    assert one_cell("error", printed, [24.0] * 10)[0].miss
    assert not one_cell("error", printed, [2.0] * 10)[0].miss


def test_an_accuracy_misses_when_it_is_significantly_below():
    printed = Decimal("90.0")
    assert one_cell("accuracy", printed, [80.0] * 10)[0].miss
    assert not one_cell("accuracy", printed, [99.0] * 10)[0].miss


def test_a_value_or_a_text_is_compared_as_it_stands():
    assert not one_cell("optimum", Decimal("7069.3582"), [7069.35818])[0].miss
    assert one_cell("optimum", Decimal("1903.045"), [1899.368])[0].miss
    assert one_cell("misclassified", "AML 64", ["AML 66"])[0].miss


def test_seconds_never_miss():
    assert not one_cell("seconds", Decimal("0.1"), [1000.0])[0].miss


def test_a_reason_is_found_by_the_labels_it_names():
    reasons = (
        {"set": "Sonar", "why": "another set"},
        {"method": ["FM", "RLP"], "measure": "features", "why": "this one"},
    )
    cell, item = one_cell("features", Decimal("6.2"), [7.0], reasons=reasons)
    assert cell.reason(item) == "this one"


def test_the_tests_of_two_methods_go_fold_by_fold():
    frame = pd.DataFrame(
        [
            {"set": s, "method": m, "repeat": r, "fold": f, "rows": 10, "training_rows": 90,
             "error": 10.0 + (m == "B") + 0.1 * f * (m == "B")}
            for s in ("x", "y") for m in "AB" for r in range(2) for f in range(10)
        ]
    )  # fmt: skip
    found = comparison.tests({"measure": "error", "first": "A", "second": "B"}, frame)
    assert found["A"].tolist() == [10.0, 10.0]
    assert found["B"].tolist() == pytest.approx([11.45, 11.45])
    gaps = [1 + 0.1 * f for f in range(10)]
    assert found["matched-pair t"].tolist() == pytest.approx(
        [stats.ttest_1samp(gaps, 0).pvalue] * 2
    )
    both = corrected_resampled_t(gaps * 2, [0.0] * 20, 1 / 9)
    assert found["corrected"].tolist() == pytest.approx([both] * 2)
    assert found["Holm"].tolist() == pytest.approx([2 * both] * 2)
