"""Predictions come part by part, and are those of the whole."""

import numpy as np
import pytest
from parted_rows import table

from planetree import C45Classifier, RobustSeparator
from planetree.distributed import open_partitions, predict


def test_parts_with_labels_are_predicted_by_their_features():
    X, y = table(14, 60, 2, 2, "plain")
    model = RobustSeparator().fit(X, y)
    found = list(predict(model, [(X[:20], y[:20]), (X[20:], y[20:])]))
    assert np.concatenate(found).tolist() == model.predict(X).tolist()


def test_predictions_of_files_come_part_by_part(folder, frame, whole):
    found = np.concatenate(list(predict(whole, folder, ignore=("kind",))))
    order = np.concatenate([np.arange(3000)[i::3] for i in range(3)])
    assert (found == whole.predict(frame.drop(columns="kind"))[order]).all()


def test_a_stream_of_arrow_is_answered_batch_by_batch(folder, frame, whole):
    dataset = pytest.importorskip("pyarrow.dataset")
    stream = dataset.dataset(folder).scanner(batch_size=400).to_reader()
    answers = predict(whole, stream, "predict_proba", ignore=("kind",))
    first = next(answers)
    assert len(first) == 400
    assert np.array_equal(first, whole.predict_proba(frame.drop(columns="kind")[::3][:400]))
    assert sum(map(len, answers)) == 2600


def test_explanations_of_parts_come_part_by_part(folder, frame):
    dd = pytest.importorskip("dask.dataframe")
    X = frame.drop(columns="kind")
    tree = C45Classifier().fit(X, frame.kind)
    found = list(predict(tree, folder, "explain", ignore=("kind",)))
    assert str(found[1][0]) == str(tree.explain(X[1::3])[0])
    lazy = predict(tree, dd.from_pandas(X, npartitions=3), "explain")
    assert str(lazy[1].compute(scheduler="synchronous")[0]) == str(tree.explain(X[1000:])[0])
    with pytest.raises(TypeError, match="has no explain"):
        predict(RobustSeparator(), folder, "explain")


def test_a_table_in_parts_is_answered_without_its_classes_and_weights(frame, whole):
    """`open_partitions` knows which columns these are, so they need not be named again."""
    parts = open_partitions([frame.assign(w=1.0)[i::3] for i in range(3)], "kind", "w")
    found = np.concatenate(list(predict(whole, parts)))
    expected = [whole.predict(frame[i::3].drop(columns="kind")) for i in range(3)]
    assert (found == np.concatenate(expected)).all()
