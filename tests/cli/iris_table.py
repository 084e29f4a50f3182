"""Fisher's flowers as the text of a CSV file."""

from sklearn.datasets import load_iris


def iris_csv():
    iris = load_iris()
    names = [name.removesuffix(" (cm)") for name in iris.feature_names]
    labels = iris.target_names[iris.target]
    rows = [",".join([*map(str, row), label]) for row, label in zip(iris.data, labels, strict=True)]
    return "\n".join([",".join([*names, "species"]), *rows]) + "\n"
