"""When a number of ours is equal to a printed one, better or worse."""

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


@pytest.mark.parametrize(
    ("ours", "verdict"), [(6.1, "better"), (6.16, "equal"), (6.24, "equal"), (6.26, "worse")]
)
def test_one_count_is_equal_when_rounding_hides_the_difference(ours, verdict):
    assert one_cell("features", Decimal("6.2"), [ours])[0].verdict == verdict


def test_a_mean_of_counts_is_equal_within_the_interval_of_its_folds():
    values = [5.0, 7.0, 8.0, 6.0, 7.0]
    p = stats.ttest_1samp(values, 6.2).pvalue
    cell, _ = one_cell("features", Decimal("6.2"), values)
    assert (cell.verdict, cell.p) == ("equal", pytest.approx(p))
    assert one_cell("features", Decimal("4.2"), values)[0].verdict == "worse"
    assert one_cell("features", Decimal("9.2"), values)[0].verdict == "better"


@pytest.mark.parametrize(
    ("measure", "printed", "ours", "verdict"),
    [
        ("error", "16.5", 18.0, "equal"),
        ("error", "16.5", 24.0, "worse"),
        ("error", "16.5", 2.0, "better"),
        ("accuracy", "90.0", 80.0, "worse"),
        ("accuracy", "90.0", 92.0, "equal"),
        ("accuracy", "90.0", 99.0, "better"),
    ],
)
def test_a_rate_is_equal_better_or_worse_by_a_test_of_both_sides(measure, printed, ours, verdict):
    """300 rows: the two-sided test of two shares, from its formula."""
    cell, _ = one_cell(measure, Decimal(printed), [ours] * 10)
    share = (ours + float(printed)) / 200
    z = (ours - float(printed)) / 100 / (2 * share * (1 - share) / 300) ** 0.5
    assert cell.p == pytest.approx(2 * stats.norm.sf(abs(z)))
    assert cell.verdict == verdict


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


def small_differences(gaps):
    """A frame of sets on which B errs so much less than A, but for folds that go up and down."""
    return pd.DataFrame(
        [
            {"set": str(s), "method": m, "fold": f, "rows": 10, "training_rows": 90,
             "error": 20.0 + (m == "A") * (gap + (-1) ** f)}
            for s, gap in enumerate(gaps) for m in "AB" for f in range(10)
        ]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("gaps", "expects", "held"),
    [
        ([-1.0, -0.1], "lower", {" set by set": True}),
        ([-1.0, 0.1], "lower", {" set by set": False}),
        ([-1.0, 0.1, -1.0], "mostly lower", {" on most sets": True}),
        ([-1.0, 0.1], "mostly lower", {" on most sets": False}),
        ([0.1, -0.1], "equal", {" set by set": True}),
        ([0.1, 2.0], "equal", {" set by set": False}),
        ([0.1, -2.0], "not higher", {" set by set": True}),
        ([0.1, 2.0], "not higher", {" set by set": False}),
        ([0.1, 2.0], "not lower", {" set by set": True}),
        ([0.1, -2.0], "not lower", {" set by set": False}),
        ([0.1], "equal", {"": True}),
        ([0.1, -2.0], None, {}),
    ],
)
def test_a_claim_is_judged_as_it_is_read(gaps, expects, held):
    claim = {"measure": "error", "first": "A", "second": "B"}
    claim |= {} if expects is None else {"expects": expects}
    assert comparison.holds(claim, comparison.tests(claim, small_differences(gaps))) == held


def test_small_losses_on_all_of_many_sets_are_none_set_by_set_but_one_over_the_sets():
    claim = {"measure": "error", "first": "A", "second": "B", "expects": "equal"}
    held = comparison.holds(
        claim, comparison.tests(claim, small_differences([0.1, 0.2, 0.15, 0.3, 0.12, 0.25]))
    )
    assert held == {" set by set": True, " over the sets together": False}
    assert comparison.in_words(held) == (
        "holds for ours set by set and does **not** hold for ours over the sets together"
    )


def test_a_claim_of_one_set_looks_at_no_other():
    claim = {"measure": "error", "first": "A", "second": "B", "set": "1", "independent": True}
    frame = small_differences([-1.0, 3.0])
    assert comparison.tests(claim, frame)["set"].tolist() == ["1"]
    assert comparison.intervals(claim, frame).count("[") == 1  # an interval a set
