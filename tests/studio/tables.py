"""Small tables for the studio: one that is messy in every common way, one that is plain."""

import random

from planetree.studio.recipe import Recipe


def plain_csv(n=240, seed=0):
    """Rows whose class depends on two numbers and a category."""
    rng = random.Random(seed)
    lines = ["age,dose,color,site,label"]
    for _ in range(n):
        age, dose = round(rng.gauss(50, 12), 1), round(rng.gauss(2, 1), 2)
        color, site = rng.choice(["red", "blue", "green"]), rng.choice("AB")
        score = age / 12 - dose + (color == "red") + rng.gauss(0, 0.6)
        lines.append(f"{age},{dose},{color},{site},{'ill' if score > 2.4 else 'well'}")
    return "\n".join(lines) + "\n"


EVIL = '<script>document.title="owned"</script>'
QUOTED = 'he said "o\'clock"'
HEBREW = "\u05d2\u05d9\u05dc"


def messy_csv(n=240, seed=1):
    """Semicolons, decimal commas, Latin-1, a word for missing, an identifier, a constant, dates."""
    rng = random.Random(seed)
    names = [EVIL, QUOTED, HEBREW, "größe", "id", "same", "day"]
    quoted = [name.replace('"', '""') for name in [*names, "class"]]
    head = ";".join(f'"{each}"' for each in quoted)
    lines = [head]
    for i in range(n):
        a, b, c = (round(rng.gauss(m, 1), 2) for m in (3, 5, 7))
        word = rng.choice(["<b>bold</b>", "plain"])
        label = "yes" if a + b + (word == "plain") + rng.gauss(0, 0.4) > 8.4 else "no"
        size = "unknown" if i % 40 == 7 else f"{c}".replace(".", ",")
        cells = [f"{a}".replace(".", ","), f"{b}".replace(".", ","), word, size]
        lines.append(";".join([*cells, str(1000 + i), "x", f"2024-01-{1 + i % 28:02d}", label]))
    return "\n".join(lines) + "\n"


FULL = Recipe(
    "my table.csv",
    delimiter="\t",
    decimal=",",
    header=False,
    dates=True,
    missing=("-9",),
    categorical=("zip",),
    numeric=("n",),
    ignore=("id",),
    target="x 3",
    weight="w",
    group="g",
    required=("a",),
    forbidden=("b",),
    increasing=("c",),
    decreasing=("d",),
    feature_costs={"mri": 3.0},
    costs=("sick as well=5",),
    class_weight="balanced",
    size="accurate",
    folds=5,
    seed=3,
)
