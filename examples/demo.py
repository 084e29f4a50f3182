"""A readable tree for the breast-cancer data: grown, proved, said in words, tried, and kept."""

from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from planetree import PlaneTreeClassifier, report, save

FOLDER = Path(__file__).parents[1] / "demo"


def main() -> None:
    """Fit the readable tree to the breast-cancer data of scikit-learn and report on it."""
    data = load_breast_cancer(as_frame=True)
    diagnosis = data.target_names[data.target]
    model = PlaneTreeClassifier().fit(data.data, diagnosis)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    accuracy = cross_val_score(model, data.data, diagnosis, cv=folds)
    cart = DecisionTreeClassifier(random_state=0)
    others = cross_val_score(cart, data.data, diagnosis, cv=folds)

    print(f"{len(diagnosis)} patients, {data.data.shape[1]} measurements. The tree says\n")
    print(model.to_text())
    print(
        f"\n{model.n_leaves_ - 1} decision(s) with {model.n_terms_} terms in all, "
        f"on {model.n_features_used_} measurements."
    )
    for proof in model.certificates_:
        if proof.kind == "linear program":
            print(
                f"Proved: no plane on these terms has an objective below {proof.bound:.6f}. "
                f"This one, rounded for reading, has {proof.objective:.6f}."
            )
    print(
        f"10-fold accuracy: {accuracy.mean():.1%} "
        f"(from {accuracy.min():.1%} to {accuracy.max():.1%})."
    )
    leaves = cart.fit(data.data, diagnosis).get_n_leaves()
    print(f"scikit-learn's tree, with {leaves} leaves: {others.mean():.1%}.")

    FOLDER.mkdir(exist_ok=True)
    printed = model.round_weights()
    save(printed, FOLDER / "model.json")
    report(printed, data.data, diagnosis, FOLDER / "report.html")
    print(f"Wrote {FOLDER / 'model.json'} and {FOLDER / 'report.html'}.")


if __name__ == "__main__":
    main()
