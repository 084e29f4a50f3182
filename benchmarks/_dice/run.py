"""DiCE on the rows of a folder, run by the interpreter of its own environment.

    python run.py FOLDER

FOLDER has all.csv (with the column `answer`), rows.csv, model.py (an exported model), about.json.
"""

import json
import runpy
import sys
import time
from pathlib import Path

import dice_ml
import numpy as np
import pandas as pd


class Exported:
    """An exported model as a classifier of scikit-learn."""

    def __init__(self, predict, names, classes, numbers):
        self.predict_row, self.names, self.numbers = predict, names, numbers
        self.classes_ = np.array(classes)

    def predict(self, X):
        """Class code of each row."""
        rows = pd.DataFrame(X, columns=self.names)
        for name in self.numbers:
            rows[name] = rows[name].astype(float)
        labels = [self.predict_row(row) for row in rows.to_dict("records")]
        return np.array([self.classes_.tolist().index(label) for label in labels])

    def predict_proba(self, X):
        """All or nothing."""
        return np.eye(len(self.classes_))[self.predict(X)]


def main():
    """Print the changed rows as JSON."""
    folder = Path(sys.argv[1])
    frame, rows = pd.read_csv(folder / "all.csv"), pd.read_csv(folder / "rows.csv")
    numbers = json.loads((folder / "about.json").read_text())["numbers"]
    classes = sorted(frame["answer"].astype(str).unique())
    predict = runpy.run_path(str(folder / "model.py"))["predict"]
    names = [name for name in frame.columns if name != "answer"]
    frame["answer"] = [classes.index(str(label)) for label in frame["answer"]]
    model = Exported(lambda row: str(predict(row)), names, classes, numbers)
    data = dice_ml.Data(dataframe=frame, continuous_features=numbers, outcome_name="answer")
    asked = dice_ml.Dice(data, dice_ml.Model(model=model, backend="sklearn"), method="random")
    found, start = [], time.process_time()
    for place in range(len(rows)):
        row = rows.iloc[[place]]
        now = int(model.predict(row)[0])
        other = "opposite" if len(classes) == 2 else (now + 1) % len(classes)
        try:
            given = asked.generate_counterfactuals(
                row, total_CFs=1, desired_class=other, random_seed=0, verbose=False
            )
            new = given.cf_examples_list[0].final_cfs_df
            found.append(None if new is None or new.empty else new[names].iloc[0].to_dict())
        except Exception:  # of whatever kind: it found none
            found.append(None)
    seconds = time.process_time() - start
    print(json.dumps({"seconds": seconds, "rows": found}, default=float))


if __name__ == "__main__":
    main()
