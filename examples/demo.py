"""A plane between benign and malignant: found, proved, said in words, and tried on new patients."""

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, cross_val_score

from planetree import RobustSeparator


def main() -> None:
    """Fit one plane to the breast-cancer data of scikit-learn and report on it."""
    data = load_breast_cancer(as_frame=True)
    diagnosis = data.target_names[data.target]
    model = RobustSeparator(perturbation=0.02).fit(data.data, diagnosis)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    accuracy = cross_val_score(model, data.data, diagnosis, cv=folds)

    print(f"{len(diagnosis)} patients, {data.data.shape[1]} measurements. The diagnosis is\n")
    print(model.describe())
    used, paid, least = model.planes_.n_terms, model.objective_, model.bound_
    print(
        f"\nIt uses {used} of the measurements; its error is {model.error_:.4f} ({model.status_})."
    )
    print(f"Certificate: it pays {paid:.9f}, and every plane at least {least:.9f}.")
    worst, best = accuracy.min(), accuracy.max()
    print(f"10-fold accuracy: {accuracy.mean():.1%} (from {worst:.1%} to {best:.1%}).")


if __name__ == "__main__":
    main()
