"""Programs side by side: one read serves all that wait for rows, each with its own view."""

from types import SimpleNamespace

import pytest

from planetree.solvers.partitioned.schedule import Pass, run_together


class Part:
    def __init__(self, rows):
        self.given, self.n_reads = rows, 0

    def rows(self):
        self.n_reads += 1
        return self.given


class Here:
    """An engine of this process; what it keeps it keeps in a list."""

    def __init__(self, fails_at=None):
        self.n_runs, self.fails_at = 0, fails_at

    def run(self, work, items, *given):
        self.n_runs += 1
        if self.n_runs == self.fails_at:
            raise KeyboardInterrupt
        return [work(item, *given) for item in items]

    keep = run


def total(rows, factor):
    return factor * sum(rows)


def adding(n_passes, factor):
    """A program that asks for sums so many times, and has the sum of them."""
    found = 0
    for _ in range(n_passes):
        try:
            found += sum((yield Pass(total, (factor,))))
        except KeyboardInterrupt:
            return found
    return found


def test_programs_that_wait_together_read_every_part_once():
    parts = [Part([1, 2]), Part([3])]
    results, n_reads = run_together(
        Here(), parts, {"a": adding(3, 1), "b": adding(1, 10), "c": adding(0, 1)}
    )
    assert results == {"a": 18, "b": 60, "c": 0}
    assert n_reads == 3
    assert [part.n_reads for part in parts] == [3, 3]


def test_each_program_has_its_own_view_of_what_was_prepared_once():
    parts = [Part([1, 2]), Part([3])]
    views = {"a": lambda rows: rows[:1]}
    programs = {"a": adding(1, 1), "b": adding(1, 1)}
    results, _ = run_together(
        Here(), parts, programs, lambda rows: [2 * each for each in rows], views
    )
    assert results == {"a": 2 + 6, "b": 12}


def keeping():
    """A program that keeps the large rows, and works on these alone."""
    kept = yield Pass(lambda rows: [each for each in rows if each > 1], keep=True)
    first = yield Pass(sum, over=kept)
    again = yield Pass(lambda rows: [10 * each for each in rows], over=kept, keep=True)
    return first, (yield Pass(sum, over=again))


def test_what_a_pass_kept_is_worked_on_without_another_read():
    parts = [Part([1, 2]), Part([3])]
    results, n_reads = run_together(Here(), parts, {0: keeping()})
    assert results == {0: ([2, 3], [20, 30])}
    assert (n_reads, parts[0].n_reads) == (1, 1)


def test_an_interrupt_gives_what_the_programs_have():
    parts = [Part([1, 2]), Part([3])]
    results, n_reads = run_together(Here(fails_at=2), parts, {"a": adding(3, 1), "b": adding(1, 1)})
    assert results == {"a": 6, "b": 6}
    assert n_reads == 1


def test_an_interrupt_reaches_the_caller_where_a_program_has_nothing():
    def empty_handed():
        yield Pass(total, (1,))

    with pytest.raises(KeyboardInterrupt):
        run_together(Here(fails_at=1), [Part([1])], {0: empty_handed()})


def test_an_interrupt_that_one_program_hears_ends_all():
    def heard():
        yield Pass(total, (1,))
        return SimpleNamespace(status="interrupted")

    results, n_reads = run_together(Here(), [Part([1, 2])], {"b": adding(3, 1), "a": heard()})
    assert results["a"].status == "interrupted"
    assert (results["b"], n_reads) == (3, 1)
