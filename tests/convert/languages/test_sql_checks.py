"""The query that compares rows with those of training counts what the check counts."""

import pytest
from odd_tables import in_sqlite, odd_labels, odd_table, quietly

from planetree import C45Classifier
from planetree.convert import to_check_sql
from planetree.evaluation.model_check import check_model


def test_the_query_counts_what_the_check_counts():
    train = odd_table(300, missing=0.05)
    model = C45Classifier(arithmetic="double").fit(train, odd_labels(train, 2))
    frame = odd_table(400, seed=5, missing=0.1, unseen=0.1)
    found = in_sqlite(frame, to_check_sql(model, "rows", dialect="sqlite"))
    checked = quietly(check_model, model, frame)
    counts = {(of, check): rows for of, check, rows, *_ in found}
    assert counts["all rows", "rows"] == 400
    read = {model.columns_[j].name for j in model.tree_.features}
    kinds = {column.name: column.categories for column in model.columns_}
    for each in checked.columns:
        if each.column in read:
            assert counts[each.column, "missing"] == round(each.missing * 400)
            if kinds[each.column] is None:
                assert counts[each.column, "out of range"] == each.n_outside
            else:
                assert (counts[each.column, "new category"] > 0) == bool(each.new_categories)
    whole = ~frame[sorted(read)].isna().any(axis=1) & ~frame.isin(["never seen"]).any(axis=1)
    leaves = quietly(model.apply, frame[whole])
    for leaf in checked.leaves:
        of = f"leaf {leaf.leaf}: {leaf.answer}"
        assert counts[of, "leaf"] >= (leaves == leaf.leaf).sum()
    shares = {of: share for of, check, _, _, share in found if check == "leaf"}
    assert sum(shares.values()) == pytest.approx(1.0)
