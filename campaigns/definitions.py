"""Answers that change by definition of a method: where, and why.

The campaign `invariance` marks these counts with a star. `tests/soundness/test_definitions.py` has
a table for each reason.
"""

# Part of an estimator's name; the changes; why.
BY_DEFINITION = (
    (
        "C45Classifier(",
        ("classes", "columns"),
        "Release 8 takes the first of equally frequent classes and of equally good columns",
    ),
    (
        "C45Classifier(",
        ("rows", "duplicate", "weights"),
        "missing values and class weights make fractional weights, whose sums are rounded in the "
        "order of the cases",
    ),
    (
        "GeneticSelector(",
        ("classes", "columns"),
        "the tree that it is given takes the first of equals, and a genome is drawn as numbers of "
        "columns",
    ),
    (
        "GaussianNB",
        ("units",),
        "a share of the largest variance of all columns is added to the variance of each",
    ),
    (
        "KNeighborsClassifier",
        ("units",),
        "a column times 1024 counts 1024^2 times in the squared distance, the sum of (x_j - z_j)^2",
    ),
    (
        "PlaneTreeClassifier(",
        ("units",),
        "what predicts is what is printed, weights of few decimal digits, and 1024 times a number "
        "of few digits has many; with `grading=None`, where they are only printed, units change "
        "nothing",
    ),
    (
        "thresholds='published'",
        ("units",),
        "of raw columns the largest weight is 1 (2.2), and which one that is depends on units",
    ),
)


def is_by_definition(name, change):
    """Whether a change may change the answers of an estimator of this name."""
    return any(part in name and change in changes for part, changes, _ in BY_DEFINITION)


def footnotes(names):
    """Why the starred counts of some estimators are not 0, a line each."""
    return "\n".join(
        f"\\* {', '.join(changes)} of `{part}`: {why}."
        for part, changes, why in BY_DEFINITION
        if any(part in name for name in names)
    )
