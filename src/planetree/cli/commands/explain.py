"""`planetree explain`: the way of a row, how near each surface is, and what would change it."""

from __future__ import annotations

import math
from typing import Annotated, Any

import typer

from planetree.cli import options
from planetree.cli.app import UsageError, command
from planetree.cli.commands.show import load_model
from planetree.cli.screen import Screen


@command("explain")
def explain(
    screen: Screen,
    model: options.ModelFile,
    data: options.Data,
    row: Annotated[int, typer.Option("--row", "-r", min=0, help="Row number, counting from 0.")],
    file: options.TableFile,
) -> None:
    """Explain why a row gets its class."""
    fitted = load_model(model)
    frame, _ = file.rows_for(screen, fitted, data)
    if row >= len(frame):
        raise UsageError(
            f"{data} has {len(frame)} rows, so --row must be from 0 to {len(frame) - 1}."
        )
    _say_explanation(screen, fitted, frame, row, data)


def _say_explanation(screen: Screen, model: Any, frame: Any, row: int, data: str) -> None:
    """Print why a row gets its class."""
    from planetree.evaluation.rows import explanation_data

    why = explanation_data(model, frame, row)
    radius, missing, is_hard = why["radius"], why.pop("missing"), why.pop("is_hard")
    screen.answer |= {**why, "radius": radius if math.isfinite(radius) else None}
    answer, shares = why["answer"], why["shares"]
    likely = "" if shares is None else _likely(is_hard, answer, shares[str(answer)])
    lines = [f"Row {row} of {data}: predicted {answer}{likely}.", ""]
    for number, step in enumerate(why["steps"], 1):
        lines += _step_lines(number, step)
    lines += _way_lines(why["ways"])
    lines += ["", *_change_lines(why["changes"]), *_radius_lines(radius, missing)]
    screen.result("\n".join(lines))


def _likely(is_hard: bool, answer: Any, share: float) -> str:
    """How sure an answer is: by its probability or, of hard leaves, by their training rows."""
    from planetree.words import probability_text

    if is_hard:
        return f"; {share:.0%} of training rows in this leaf are {answer}"
    return f", with a probability of {probability_text(share)}"


def _way_lines(ways: list[dict[str, Any]]) -> list[str]:
    """The ways that a row takes, if there are several of 10% or more."""
    from planetree.words import probability_text

    likely = [way for way in ways if way["share"] >= 0.1]
    if len(likely) < 2:
        return []
    lines = [
        f"  {way['share']:.0%}  {', '.join(way['way'])}: {way['answer']} "
        f"{probability_text(way['probability'])}"
        for way in likely
    ]
    return [
        "",
        "The row lies where decisions are unsure. Paths with a share of 10% or more:",
        *lines,
    ]


def _step_lines(number: int, step: dict[str, Any]) -> list[str]:
    """A decision on the way, in two lines or more."""
    asks, values, distances = step["asks"], step["has"], step["distances"]
    doubt = [f"   {step['unsure']}"] if step["unsure"] else []
    share = "" if step["share"] > 0.9995 else f" (with {step['share']:.0%} of the row)"
    if len(values) > 1:
        lines = [
            f"   {asked} is {_number_text(value)}{_away(distance)}"
            for asked, value, distance in zip(asks, values, distances, strict=True)
        ]
        return [f"{number}. Of these sums{share}", *lines, f"   {step['way']}", *doubt]
    distance = _away(distances[0]) if distances else ""
    found = "missing" if _unknown(values[0]) else _number_text(values[0])
    head = f"{number}. {' '.join(asks)}{share}"
    return [head, f"   is {found}: {step['way']}{distance}", *doubt]


def _unknown(value: Any) -> bool:
    """Whether a value is missing."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def _away(distance: float) -> str:
    """How far a surface is, in words."""
    return "" if math.isnan(distance) else f", {distance:.4g} from the border"


def _number_text(value: Any) -> str:
    """A number with six digits; anything else as it is."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _change_lines(changes: list[dict[str, Any]]) -> list[str]:
    """What would change the answer, a column a line."""
    if not changes:
        return ["No change of a single column would change the prediction."]
    lines = [
        f"  {each['column']}: {_number_text(each['value'])} -> {_number_text(each['new_value'])} "
        f"gives {each['answer']}"
        for each in changes
    ]
    return ["Single changes that would change the prediction, smallest first:", *lines]


def _radius_lines(radius: float, missing: list[bool]) -> list[str]:
    """How far the numbers may move, where that is known, and that those missing do not."""
    stay = ["Missing numbers are taken to stay missing."] if any(missing) else []
    if math.isnan(radius) or (missing and all(missing)):
        return stay
    if math.isinf(radius):
        return ["No change of the numbers alone would change the prediction.", *stay]
    down = math.floor(radius * 100) / 100
    limit = f"Number changes that add up to less than {down:.2f} deviations do not change it."
    return [limit, *stay]
