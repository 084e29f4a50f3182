"""What was clicked, as a command line and as Python that make the same model."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from planetree.evaluation.methods import DEFAULT_METHOD
from planetree.studio.recipe import Recipe

_OPTIONS = {  # field of a recipe, and its option
    "target": "--target",
    "delimiter": "--delimiter",
    "encoding": "--encoding",
    "decimal": "--decimal",
    "sheet": "--sheet",
    "missing": "--missing",
    "categorical": "--categorical",
    "numeric": "--numeric",
    "ignore": "--ignore",
    "weight": "--sample-weight",
    "group": "--group",
    "required": "--require",
    "forbidden": "--forbid",
    "increasing": "--increasing",
    "decreasing": "--decreasing",
    "costs": "--cost",
    "class_weight": "--class-weight",
    "test": "--test",
}


def command_lines(recipe: Recipe, terms: int | None, edits: Sequence[str]) -> str:
    """The commands that make a model, its report, and its edits.

    Examples
    --------
    >>> from planetree.studio.recipe import Recipe
    >>> from planetree.studio.reproduction import command_lines
    >>> print(command_lines(Recipe("a.csv", target="class"), None, []))
    planetree fit a.csv --target class --model model.json --report report.html
    """
    stem = "model" if not edits else "first"
    options = _options(recipe)
    options += [] if terms is None else ["--terms", str(terms)]
    fit = ["planetree", "fit", recipe.file, *options, "--model", f"{stem}.json"]
    if not edits:
        return shlex.join([*fit, "--report", "report.html"])
    own = _table_options(recipe)
    weight = [] if recipe.weight is None else ["--sample-weight", recipe.weight]
    target = [] if recipe.target is None else ["--target", recipe.target]
    said = [part for each in edits for part in ("--do", each)]
    edit = ["planetree", "edit", "first.json", recipe.file, *target, *own, *weight, *said]
    page = ["planetree", "report", "model.json", recipe.file, *target, *own]
    lines = [fit, [*edit, "--out", "model.json"], [*page, "--out", "report.html"]]
    return "\n".join(map(shlex.join, lines))


def drawing_code(file: str, sample: Mapping[str, Any]) -> str:
    """Python that draws the sample of a large file.

    Examples
    --------
    >>> from planetree.studio.reproduction import drawing_code
    >>> print(drawing_code("a.csv", {"file": "a.csv.planetree/sample.csv", "drawn": 50000}))
    from planetree.table_files import write_sample
    write_sample('a.csv', 'a.csv.planetree/sample.csv', 50000)
    """
    call = f"write_sample({file!r}, {sample['file']!r}, {sample['drawn']})"
    return f"from planetree.table_files import write_sample\n{call}"


def further_commands(
    recipe: Recipe, comparison: Mapping[str, Any] | None, score: Mapping[str, Any] | None
) -> str:
    """The commands of what was compared, and of a new file that was checked and scored."""
    lines = []
    target = [] if recipe.target is None else ["--target", recipe.target]
    if comparison is not None:
        names = [part for each in comparison["methods"] for part in ("--method", each)]
        shared = _shared_options(recipe)
        limit = (
            []
            if comparison["time_limit"] == 60
            else ["--time-limit", f"{comparison['time_limit']:g}"]
        )
        metric = [] if recipe.metric == "error" else ["--metric", recipe.metric]
        lines.append(["planetree", "compare", recipe.file, *shared, *names, *metric, *limit])
    if score is not None and not score["lacking"]:
        own = _table_options(recipe)
        pairs = [f"{old}={new}" for old, new in score["renamed"].items()]
        renamed = [part for each in pairs for part in ("--rename", each)]
        known = target if recipe.target in score["names"] else []
        table = ["model.json", score["file"], *own, *renamed]
        lines.append(["planetree", "check", *table, *known])
        kept = ["--keep", "--probabilities", "--out", "predictions.csv"]
        lines.append(["planetree", "predict", *table, *kept])
    return "\n".join(map(shlex.join, lines))


def _shared_options(recipe: Recipe) -> list[str]:
    """Options of `fit` that `compare` has too."""
    wishes = {"required", "forbidden", "increasing", "decreasing", "costs", "test", "group"}
    bare = {name: () for name in wishes - {"test", "group"}} | {"test": None, "group": None}
    other: Any = {**bare, "feature_costs": {}, "size": "balanced", "method": DEFAULT_METHOD}
    return _options(replace(recipe, **other))


def _options(recipe: Recipe) -> list[str]:
    """Options of `planetree fit` that differ from their defaults."""
    found = []
    for name, option in _OPTIONS.items():
        value = getattr(recipe, name)
        values = value if isinstance(value, tuple) else () if value is None else (value,)
        found += [part for each in values for part in (option, _as_option(name, each))]
    for name, cost in recipe.feature_costs.items():
        found += ["--feature-cost", f"{name}={cost:g}"]
    found += [] if recipe.header else ["--no-header"]
    found += ["--dates"] if recipe.dates else []
    found += [] if recipe.size == "balanced" else ["--size", recipe.size]
    found += [] if recipe.method == DEFAULT_METHOD else ["--method", recipe.method]
    found += [] if recipe.folds is None else ["--folds", str(recipe.folds)]
    return found + ([] if recipe.seed == 0 else ["--seed", str(recipe.seed)])


def _table_options(recipe: Recipe) -> list[str]:
    """Options of every command that reads a table."""
    found = []
    for name in ("delimiter", "encoding", "decimal", "sheet", "missing"):
        value = getattr(recipe, name)
        values = value if isinstance(value, tuple) else () if value is None else (value,)
        found += [part for each in values for part in (_OPTIONS[name], _as_option(name, each))]
    return found + ([] if recipe.header else ["--no-header"])


def _as_option(name: str, value: str) -> str:
    return "tab" if name == "delimiter" and value == "\t" else value


def python_code(recipe: Recipe, terms: int | None, edits: Sequence[str]) -> str:
    """Python that makes the same model.

    Examples
    --------
    >>> from planetree.studio.recipe import Recipe
    >>> from planetree.studio.reproduction import python_code
    >>> "PlaneTreeClassifier()" in python_code(Recipe("a.csv", target="class"), None, [])
    True
    """
    more = {"sample_weight": recipe.weight, "group": recipe.group}
    reading = [f"{name}={value!r}" for name, value in more.items() if value is not None]
    own = _reading(recipe)
    reading += [f"reading=Reading({own})"] if own else []
    names = ", ".join([repr(recipe.file), repr(recipe.target), *reading])
    title = f"{recipe.target} · {PurePath(recipe.file).name}"
    own_class = recipe.method == DEFAULT_METHOD
    made = f"PlaneTreeClassifier({_parameters(recipe)})" if own_class else _made(recipe)
    used = ["PlaneTreeClassifier"] * own_class + ["TreeEditor"] * bool(edits) + ["report", "save"]
    lines = [
        f"from planetree import {', '.join(used)}",
        *_parsers(recipe),
        "from planetree.evaluation.reading import read_training_table",
        "from planetree.evaluation.validation import fit_in_time",
        *(["from planetree.table_files import Reading"] if own else []),
        *(["from planetree.tree.editing.edit_lines import apply_edit"] if edits else []),
        "",
        f"data = read_training_table({names})",
        f"model = fit_in_time({made}, data, None)",
        *([] if terms is None else [f"model = model.select({terms})"]),
        *_edit_lines(edits),
        'save(model, "model.json", force=True)',
        f'report(model, data.table, data.labels, "report.html", title={title!r})',
    ]
    return "\n".join(lines)


def _reading(recipe: Recipe) -> str:
    """Arguments of `Reading` that differ from their defaults."""
    found = {
        "categorical": recipe.categorical,
        "ignore": recipe.ignore,
        "missing": recipe.missing,
        "encoding": recipe.encoding,
        "header": recipe.header,
        "sheet": recipe.sheet,
        "dates": recipe.dates,
        "numbers": recipe.numeric,
        "decimal": recipe.decimal,
        "delimiter": recipe.delimiter,
    }
    default: dict[str, Any] = {"header": True, "dates": False}
    return ", ".join(
        f"{name}={list(value) if isinstance(value, tuple) else value!r}"
        for name, value in found.items()
        if value not in ((), None, default.get(name))
    )


def _parameters(recipe: Recipe) -> str:
    """Parameters of the tree that differ from their defaults."""
    signs = dict.fromkeys(recipe.increasing, 1) | dict.fromkeys(recipe.decreasing, -1)
    found: dict[str, Any] = {
        "size": None if recipe.size == "balanced" else _number_or_word(recipe.size),
        "required_features": list(recipe.required),
        "excluded_features": list(recipe.forbidden),
        "monotonic_cst": signs,
        "feature_costs": dict(recipe.feature_costs),
    }
    said = [f"{name}={value!r}" for name, value in found.items() if value]
    if recipe.class_weight is not None:
        said.append(f"class_weight=parse_class_weight({recipe.class_weight!r}, data.labels)")
    if recipe.costs:
        wish = f"wished_settings(data.labels, costs={list(recipe.costs)!r})"
        said.append(f'costs={wish}["costs"]')
    return ", ".join(said)


def _parsers(recipe: Recipe) -> list[str]:
    """What reads costs and weights of classes, if there are any."""
    other = recipe.method != DEFAULT_METHOD
    used = {
        "Settings": other,
        "method_named": other,
        "parse_class_weight": recipe.class_weight,
        "wished_settings": recipe.costs and not other,
    }
    names = ", ".join(name for name, given in used.items() if given)
    return [f"from planetree.evaluation.methods import {names}"] if names else []


def _made(recipe: Recipe) -> str:
    """Another method, with what it is asked."""
    weight = f"class_weight=parse_class_weight({recipe.class_weight!r}, data.labels), "
    said = (
        weight if recipe.class_weight else ""
    ) + f"random_state={recipe.seed}, n_jobs=1, missing=data.missing"
    return f"method_named({recipe.method!r}).make(Settings({said}))"


def _number_or_word(text: str) -> Any:
    return float(text) if re.fullmatch(r"\d+(\.\d+)?", text) else text


def _edit_lines(edits: Sequence[str]) -> list[str]:
    """Edits as the command says them, in Python."""
    if not edits:
        return []
    return [
        "editor = TreeEditor(model, data.table, data.labels, data.weights)",
        *(f"apply_edit(editor, {edit!r})" for edit in edits),
        "model = editor.model_",
    ]
