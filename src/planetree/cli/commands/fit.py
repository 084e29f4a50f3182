"""`planetree fit`: from a table to a readable model, its error on unseen rows, and files."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planetree.cli import options
from planetree.cli.app import UsageError, command
from planetree.cli.commands.show import (
    ReportRows,
    groups_in,
    report_title,
    say_groups,
    say_model,
    write_report,
)
from planetree.cli.in_parts import fit_parts, is_in_parts, refuse_in_parts
from planetree.cli.screen import Screen, refuse_existing
from planetree.evaluation.figure_words import figure_sentences, percent, plural
from planetree.evaluation.methods import (
    DEFAULT_METHOD,
    Settings,
    method_named,
    methods,
    parse_class_weight,
)
from planetree.exceptions import FileError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from planetree.evaluation.figures import Figures
    from planetree.evaluation.reading import TrainingTable
    from planetree.evaluation.validation import Validation


@command("fit")
def fit(
    screen: Screen,
    data: options.Data,
    *,
    target: options.Target = None,
    method: Annotated[
        str, typer.Option("--method", "-m", help=f"One of {', '.join(methods())}.")
    ] = DEFAULT_METHOD,
    model: Annotated[Path | None, typer.Option(help="Write the model as JSON.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write a report as HTML.")] = None,
    score_sheet: Annotated[
        Path | None,
        typer.Option(help="Write a score sheet with whole points: .html, .csv or text."),
    ] = None,
    test: Annotated[
        str | None, typer.Option(help="Count errors on this table instead of cross-validating.")
    ] = None,
    group: options.Group = None,
    max_features: options.MaxFeatures = None,
    max_splits: options.MaxSplits = None,
    class_weight: options.ClassWeight = None,
    grading: options.GradingName = None,
    teacher: options.TeacherName = None,
    folds: options.FoldCount = None,
    wishes: options.Wishes,
    learning: options.Learning,
    cluster: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler, for a table in parts.")
    ] = None,
    time_limit: options.TimeLimit = None,
    force: options.Force = False,
) -> None:
    """Fit a readable model and estimate its error.

    The error is estimated by cross-validation, or on the rows of --test. A folder, or a pattern
    such as 'trips/*.parquet', is read part by part, as often as needed.
    """
    chosen = method_named(method)
    refuse_existing([model, report, score_sheet], force)
    settings = Settings(
        max_features, max_splits, None, learning.seed, learning.jobs, time_limit, grading, teacher
    )
    if cluster is not None or is_in_parts(data):
        refuse_in_parts(report, score_sheet, test, group, class_weight, teacher)
        where = data, target, learning.sample_weight, cluster
        fitted = fit_parts(screen, chosen.make(settings), chosen.name, *where)
        return _save_model(screen, fitted, model, force)
    from planetree.evaluation.validation import fit_in_time, how_validated, of_size

    rows = learning.read(screen, data, target, group)
    weight = parse_class_weight(class_weight, rows.labels)
    settings = settings._replace(
        class_weight=weight, missing=rows.missing, **wishes.settings(rows.labels)
    )
    estimator = chosen.make(settings)
    _refuse_impossible(estimator, method, score_sheet, wishes.terms)
    until = time.monotonic() + time_limit if time_limit else float("inf")
    with screen.progress("Learning"):
        fitted = of_size(fit_in_time(estimator, rows, time_limit), wishes.terms)
    fitted.decimals_ = dict(rows.decimals)
    say_model(screen, fitted, chosen.name)
    _say_more(screen, estimator, fitted)
    found = None
    if test:
        _try_on_file(screen, fitted, test, rows, learning)
    elif folds != 0:
        found = _cross_validated(screen, estimator, rows, folds, learning, until, wishes.terms)
        if found is not None:
            _say_figures(screen, fitted, found.figures, how_validated(found), rows)
            _say_groups_of(screen, rows, found)
        if found is not None and chosen.name == "set-gen":
            plain = method_named("c45").make(settings._replace(max_features=None))
            _say_beside(screen, _cross_validated(screen, plain, rows, folds, learning, until))
    if score_sheet:
        screen.write_file(score_sheet, _sheet_of(screen, fitted, score_sheet), force)
    _save_model(screen, fitted, model, force)
    if report:
        unseen = None if found is None else found.probabilities
        title = report_title(rows.summary["target"], data)
        table = rows.table.select([column.name for column in fitted.columns_])
        shown = ReportRows(table, rows.labels, title, rows.groups, unseen)
        write_report(screen, fitted, shown, report, force)


def _save_model(screen: Screen, fitted: Any, path: Path | None, force: bool) -> None:
    """Write a model file, if one is asked for."""
    from planetree.model_files import save

    if path:
        refuse_existing([path], force)
        with screen.writing(path):
            save(fitted, path, force=force)


def _refuse_impossible(
    estimator: Any, method: str, score_sheet: Path | None, terms: int | None
) -> None:
    """Raise before any work if a method cannot give what was asked for."""
    if score_sheet and not hasattr(estimator, "to_score_sheet"):
        raise UsageError(f"Method {method} cannot make a score sheet; remove --score-sheet.")
    if terms is not None and not hasattr(estimator, "select"):
        raise UsageError(f"Method {method} has no path of sizes; remove --terms.")


def _say_more(screen: Screen, estimator: Any, fitted: Any) -> None:
    """Print what a teacher or a search have to say beside the model."""
    if getattr(fitted, "fidelity_", None) is not None:
        _say_fidelity(screen, fitted.fidelity_)
    if hasattr(estimator, "history_"):
        _say_search(screen, estimator)


def _say_fidelity(screen: Screen, fidelity: float) -> None:
    """Print how often the tree agrees with its teacher."""
    screen.answer["fidelity"] = fidelity
    if not math.isnan(fidelity):
        agreed = percent(fidelity)
        screen.say(f"Fidelity: on held-out rows the tree gives its teacher's class to {agreed}.")


def _say_search(screen: Screen, selector: Any) -> None:
    """Print how long SET-GEN searched, and how much it keeps."""
    kept, n_columns = int(selector.get_support().sum()), len(selector.columns_)
    screen.answer["search"] = {"evaluations": selector.n_evaluations_, "kept": kept}
    evaluations = plural(selector.n_evaluations_, "evaluation")
    screen.say(f"Search: {evaluations}, {kept} of {plural(n_columns, 'column')} kept.")


def _say_beside(screen: Screen, plain: Validation | None) -> None:
    """Print what C4.5 makes of all columns, on the same folds."""
    if plain is not None:
        screen.answer["plain_c45"] = {**plain.figures.to_data(), **plain.size._asdict()}
        screen.say(
            f"C4.5 with all columns, on the same folds: error {percent(plain.figures.error)}, "
            f"{plain.size.leaves:.3g} leaves and {plain.size.columns:.3g} columns on average."
        )


def _say_groups_of(screen: Screen, rows: TrainingTable, found: Validation) -> None:
    """Print errors by group on the rows of cross-validation."""
    import numpy as np

    if rows.groups is not None and found.rows is not None:
        labels, groups = rows.labels[found.rows], rows.groups.rows(found.rows)
        weights = None if rows.weights is None else rows.weights[found.rows]
        say_groups(screen, labels, found.answers, np.unique(rows.labels), groups, weights)


def _try_on_file(
    screen: Screen, model: Any, path: str, rows: TrainingTable, learning: options.Learning
) -> None:
    """Print what a model makes of the rows of another file."""
    from planetree.evaluation.figures import figures_of
    from planetree.evaluation.validation import class_shares

    found = learning.file.labeled_rows_for(screen, model, path, rows.summary["target"])
    answers = model.predict(found.frame)
    shares = class_shares(model, found.frame, model.classes_)
    figures = figures_of(found.labels, answers, model.classes_, shares)
    _say_figures(screen, model, figures, path, rows, found.labels)
    groups = None if rows.groups is None else groups_in(found, rows.groups.column, path)
    say_groups(screen, found.labels, answers, model.classes_, groups)


def _cross_validated(
    screen: Screen,
    estimator: Any,
    rows: TrainingTable,
    folds: int | None,
    learning: options.Learning,
    until: float,
    terms: int | None = None,
) -> Validation | None:
    """What folds show of a method; a failure costs the figures, not the model."""
    from planetree.evaluation.validation import stratified_folds, validate, validate_sizes

    if time.monotonic() > until:
        screen.note("No time left for cross-validation.")
        return None
    try:
        dealt = stratified_folds(rows.labels, folds, learning.seed)
        small = [f"{k} ({plural(n, 'row')})" for k, n in rows.summary["classes"].items() if n < 2]
        if small:
            lone = ", ".join(small)
            screen.note(f"Error not estimated for {lone}: a single row cannot be held out.")
        with screen.progress("Cross-validation", len(dealt.used)) as tick:
            if terms is not None:
                return validate_sizes(estimator, rows, dealt, [terms], until=until, tick=tick)[0]
            return validate(estimator, rows, dealt, jobs=learning.jobs, until=until, tick=tick)
    except (ValueError, RuntimeError) as error:
        screen.note(f"Error not estimated: {' '.join(str(error).split())}")
        return None


def _say_figures(
    screen: Screen,
    model: Any,
    figures: Figures,
    how: str,
    rows: TrainingTable,
    unseen: NDArray[Any] | None = None,
) -> None:
    """Print what a model makes of rows that it has not seen, and keep it with the model."""
    from planetree.evaluation.validation import majority_error, validation_record

    majority = majority_error(rows, unseen)
    model.validation_ = validation_record(model, rows, figures, how, majority)
    screen.answer["validation"] = {**model.validation_, "rows": figures.n_rows}
    for sentence in figure_sentences(figures, how, majority):
        screen.say(sentence)


def _sheet_of(screen: Screen, model: Any, path: Path) -> str:
    """The score sheet of a model in the format of the file's name."""
    from planetree.reporting import score_sheet_html

    with screen.progress("Making a score sheet"):
        try:
            sheet = model.to_score_sheet()
        except ValueError as error:  # a tree without a decision has none
            raise FileError(f"No score sheet: {error}") from error
    if path.suffix.lower() == ".html":
        return str(score_sheet_html(sheet))
    return str(sheet.to_csv() if path.suffix.lower() == ".csv" else sheet.to_text() + "\n")
