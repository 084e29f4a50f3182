"""`planetree fit`: from a table to a readable model, its error on unseen rows, and files."""

import math
import time
from dataclasses import dataclass
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
    Method,
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


@dataclass(frozen=True, kw_only=True)
class FitOptions:
    """What `fit` is asked."""

    target: options.Target = None
    method: Annotated[
        str, typer.Option("--method", "-m", help=f"One of {', '.join(methods())}.")
    ] = DEFAULT_METHOD
    model: Annotated[options.File, "Write the model as JSON."] = None
    report: Annotated[options.File, "Write a report as HTML."] = None
    score_sheet: Annotated[
        options.File, "Write a score sheet with whole points: .html, .csv or text."
    ] = None
    test: Annotated[
        options.Value, "Measure the error on this table instead of cross-validating."
    ] = None
    group: options.Group = None
    max_features: options.MaxFeatures = None
    max_splits: options.MaxSplits = None
    class_weight: options.ClassWeight = None
    grading: options.GradingName = None
    teacher: options.TeacherName = None
    folds: options.FoldCount = None
    wishes: options.Wishes
    learning: options.Learning
    cluster: Annotated[options.Value, "Address of a Dask scheduler, for a table in parts."] = None
    time_limit: options.TimeLimit = None
    force: options.Force = False

    def settings(self) -> Settings:
        """What can be asked of a method before the table is read."""
        seed, jobs = self.learning.seed, self.learning.jobs
        found = Settings(self.max_features, self.max_splits, None, seed, jobs, self.time_limit)
        return found._replace(grading=self.grading, teacher=self.teacher)


@command("fit")
def fit(screen: Screen, data: options.Data, *, asked: FitOptions) -> None:
    """Fit a readable model and estimate its error.

    The error is estimated by cross-validation, or on the rows of --test. A folder, or a pattern
    such as 'trips/*.parquet', is read part by part, as often as needed.
    """
    chosen = method_named(asked.method)
    refuse_existing([asked.model, asked.report, asked.score_sheet], asked.force)
    if asked.cluster is not None or is_in_parts(data):
        return _save_model(screen, _fitted_in_parts(screen, chosen, data, asked), asked)
    rows = asked.learning.read(screen, data, asked.target, asked.group)
    settings = asked.settings()._replace(
        class_weight=parse_class_weight(asked.class_weight, rows.labels),
        missing=rows.missing,
        **asked.wishes.settings(rows.labels),
    )
    estimator = chosen.make(settings)
    _refuse_impossible(estimator, asked)
    until = time.monotonic() + asked.time_limit if asked.time_limit else float("inf")
    fitted = _fitted(screen, estimator, rows, asked)
    say_model(screen, fitted, chosen.name)
    _say_more(screen, estimator, fitted)
    found = None
    if asked.test:
        _try_on_file(screen, fitted, asked.test, rows, asked.learning)
    elif asked.folds != 0:
        found = _cross_validated(screen, estimator, rows, asked, until, asked.wishes.terms)
    if found is not None:
        _say_validation(screen, fitted, found, rows)
        if chosen.name == "set-gen":
            plain = method_named("c45").make(settings._replace(max_features=None))
            _say_beside(screen, _cross_validated(screen, plain, rows, asked, until))
    title = report_title(rows.summary["target"], data)
    sheet = _sheet_of(screen, fitted) if asked.score_sheet else None
    if asked.score_sheet:
        text = _sheet_as(asked.score_sheet, sheet, title)
        screen.write_file(asked.score_sheet, text, asked.force)
    _save_model(screen, fitted, asked)
    if asked.report:
        unseen = None if found is None else found.probabilities
        table = rows.table.select([column.name for column in fitted.columns_])
        shown = ReportRows(table, rows.labels, title, rows.groups, unseen, sheet)
        write_report(screen, fitted, shown, asked.report, asked.force)


def _fitted_in_parts(screen: Screen, chosen: Method, data: str, asked: FitOptions) -> Any:
    """A model of a table in parts."""
    refuse_in_parts(asked.report, asked.score_sheet, asked.test)
    refuse_in_parts(asked.group, asked.class_weight, asked.teacher)
    where = data, asked.target, asked.learning.sample_weight, asked.cluster
    return fit_parts(screen, chosen.make(asked.settings()), chosen.name, *where)


def _fitted(screen: Screen, estimator: Any, rows: "TrainingTable", asked: FitOptions) -> Any:
    """A model of all rows, that of the size asked for."""
    from planetree.evaluation.validation import fit_in_time, of_size

    with screen.progress("Learning"):
        fitted = of_size(fit_in_time(estimator, rows, asked.time_limit), asked.wishes.terms)
    fitted.decimals_ = dict(rows.decimals)
    return fitted


def _save_model(screen: Screen, fitted: Any, asked: FitOptions) -> None:
    """Write a model file, if one is asked for."""
    from planetree.model_files import save

    if asked.model:
        refuse_existing([asked.model], asked.force)
        with screen.writing(asked.model):
            save(fitted, asked.model, force=asked.force)


def _refuse_impossible(estimator: Any, asked: FitOptions) -> None:
    """Raise before any work if a method cannot give what was asked for."""
    if asked.score_sheet and not hasattr(estimator, "to_score_sheet"):
        raise UsageError(f"Method {asked.method} cannot make a score sheet; remove --score-sheet.")
    if asked.wishes.terms is not None and not hasattr(estimator, "select"):
        raise UsageError(f"Method {asked.method} has no path of sizes; remove --terms.")


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


def _say_beside(screen: Screen, plain: "Validation | None") -> None:
    """Print what C4.5 makes of all columns, on the same folds."""
    if plain is not None:
        screen.answer["plain_c45"] = {**plain.figures.to_data(), **plain.size._asdict()}
        screen.say(
            f"C4.5 with all columns, on the same folds: error {percent(plain.figures.error)}, "
            f"{plain.size.leaves:.3g} leaves and {plain.size.columns:.3g} columns on average."
        )


def _say_validation(
    screen: Screen, fitted: Any, found: "Validation", rows: "TrainingTable"
) -> None:
    """Print what cross-validation found, also by group."""
    import numpy as np

    from planetree.evaluation.validation import how_validated

    _say_figures(screen, fitted, found.figures, how_validated(found), rows)
    if rows.groups is not None and found.rows is not None:
        labels, groups = rows.labels[found.rows], rows.groups.rows(found.rows)
        weights = None if rows.weights is None else rows.weights[found.rows]
        say_groups(screen, labels, found.answers, np.unique(rows.labels), groups, weights)


def _try_on_file(
    screen: Screen, model: Any, path: str, rows: "TrainingTable", learning: options.Learning
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
    rows: "TrainingTable",
    asked: FitOptions,
    until: float,
    terms: int | None = None,
) -> "Validation | None":
    """What folds show of a method; a failure costs the figures, not the model."""
    from planetree.evaluation.validation import stratified_folds, validate, validate_sizes

    if time.monotonic() > until:
        screen.note("No time left for cross-validation.")
        return None
    try:
        dealt = stratified_folds(rows.labels, asked.folds, asked.learning.seed)
        small = [f"{k} ({plural(n, 'row')})" for k, n in rows.summary["classes"].items() if n < 2]
        if small:
            lone = ", ".join(small)
            screen.note(f"Error not estimated for {lone}: a single row cannot be held out.")
        with screen.progress("Cross-validation", len(dealt.used)) as tick:
            if terms is not None:
                return validate_sizes(estimator, rows, dealt, [terms], until=until, tick=tick)[0]
            jobs = asked.learning.jobs
            return validate(estimator, rows, dealt, jobs=jobs, until=until, tick=tick)
    except (ValueError, RuntimeError) as error:
        screen.note(f"Error not estimated: {' '.join(str(error).split())}")
        return None


def _say_figures(
    screen: Screen,
    model: Any,
    figures: "Figures",
    how: str,
    rows: "TrainingTable",
    unseen: "NDArray[Any] | None" = None,
) -> None:
    """Print what a model makes of rows that it has not seen, and keep it with the model."""
    from planetree.evaluation.validation import majority_error, validation_record

    majority = majority_error(rows, unseen)
    model.validation_ = validation_record(model, rows, figures, how, majority)
    screen.answer["validation"] = {**model.validation_, "rows": figures.n_rows}
    for sentence in figure_sentences(figures, how, majority):
        screen.say(sentence)


def _sheet_of(screen: Screen, model: Any) -> Any:
    """The score sheet of a model."""
    with screen.progress("Making a score sheet"):
        try:
            return model.to_score_sheet()
        except ValueError as error:  # a tree without a decision has none
            raise FileError(f"No score sheet: {error}") from error


def _sheet_as(path: Path, sheet: Any, title: str | None) -> str:
    """A score sheet in the format of the file's name."""
    from planetree.reporting import score_sheet_html

    if path.suffix.lower() == ".html":
        return str(score_sheet_html(sheet, title=title))
    return str(sheet.to_csv() if path.suffix.lower() == ".csv" else sheet.to_text() + "\n")
