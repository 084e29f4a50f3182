"""Figures that are kept in benchmarks/frontier.json, so that the page needs neither fits nor peers.

Each stands beside the state that it is of: of ours a digest of the sources, of a peer the version
of its package.
"""

from pathlib import Path

from benchmarks import _kept_figures
from benchmarks._frontier.answers import answers, are_kept, digest
from benchmarks._frontier.data import GROUPS, examples
from benchmarks._frontier.measures import Measures, measures
from benchmarks._frontier.methods import METHODS, peer_version

_KEPT = Path(__file__).parents[1] / "frontier.json"

Results = dict[str, dict[str, Measures]]  # by method and set


def keep(more: dict[tuple, list]) -> None:
    """Keep the measures of all answers that there are, and other figures."""
    found = _kept_figures.kept(_KEPT) | more
    for group, dealt in GROUPS.items():
        for name in dealt.sets:
            for method in METHODS:
                if are_kept(method, group, name):
                    each = examples(group, name)
                    figures = measures(each, answers(method, each))
                    found[method, group, name] = [_state(method), list(figures)]
    _kept_figures.keep(found, _KEPT)


def kept(what: str, group: str, name: str) -> list | None:
    """The state that figures are of, and the figures."""
    return _kept_figures.kept(_KEPT).get((what, group, name))


def kept_results(group: str) -> Results:
    """Measures of every method on the sets that it finished."""
    all_kept = _kept_figures.kept(_KEPT)
    return {
        method: {
            name: Measures(*all_kept[method, group, name][1])
            for name in GROUPS[group].sets
            if (method, group, name) in all_kept
        }
        for method in METHODS
    }


def states() -> tuple[set[str], set[str]]:
    """What the kept figures are of: our sources, and the packages of peers."""
    of = {key[0]: set() for key in _kept_figures.kept(_KEPT)}
    for (method, *_), (state, _) in _kept_figures.kept(_KEPT).items():
        of[method].add(state)
    ours, peers = set(), set()
    for method in METHODS.keys() & of:
        (ours if METHODS[method].ours else peers).update(of[method])
    return ours, peers


def _state(method: str) -> str:
    return digest() if METHODS[method].ours else peer_version(method)
