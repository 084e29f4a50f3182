"""A tree as statements: nested questions for rows that are known, shares for those that are not.

Questions return as soon as the class is known. The largest subtree of each decision comes last and
is not indented, so n leaves are indented log2(n) deep at most. Shares are the sums of
`planetree.tree.Tree`, one variable a node, in the same order and so with the same rounding.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from planetree.convert.languages.expressions import Expressions

__all__ = ["SourceCode"]

Case = tuple[str, list[str]]


class SourceCode(Expressions):
    """How a language of statements says a plan; a subclass says the smallest pieces."""

    INDENT = "    "

    @abstractmethod
    def branching(self, cases: Sequence[Case], otherwise: list[str] | None = None) -> list[str]:
        """Do what stands with the first case that holds."""

    @abstractmethod
    def assign(self, name: str, value: str) -> str:
        """Give a variable a value."""

    @abstractmethod
    def declare(self, names: list[str]) -> str:
        """Make variables that are 0."""

    @abstractmethod
    def answer(self, node: int) -> str:
        """Return what a leaf says."""

    def indented(self, lines: Sequence[str]) -> list[str]:
        """Lines one step further to the right."""
        return [self.INDENT + line for line in lines]

    def questions(self, node: int = 0) -> list[str]:
        """Statements that return the class of a row."""
        lines: list[str] = []
        while self.plan.decisions[node] is not None:
            *others, last = self.plan.asked(node)
            children = self.plan.children(node)
            for b in others:
                lines += self.branching([(self.condition(node, b), self.questions(children[b]))])
            node = children[last]
        return [*lines, self.answer(node)]

    def shares(self) -> list[str]:
        """Statements that give each node n but the root, as `s<n>`, the share of the row in it."""
        lines = []
        for node, decision in enumerate(self.plan.decisions):
            if decision is None:
                continue
            children, parts = self.plan.children(node), self.plan.fitted.tree.parts(node).tolist()
            pairs = list(zip(children, parts, strict=True))
            share = f"s{node}"
            lines.append(self.declare([f"s{child}" for child in children]))
            split = [self.assign(f"s{c}", f"{share} * {self.number(p)}") for c, p in pairs if p]
            *asked, last = (b for b, formula in enumerate(decision.branches) if formula)
            cases = [(self.unknown(decision), split)] if decision.columns else []
            for b in asked:
                formula = self.formula(decision.branches[b])
                cases.append((formula, [self.assign(f"s{children[b]}", share)]))
            whole = self.assign(f"s{children[last]}", share)
            lines += self.branching(cases, [whole]) if cases else [whole]
        return lines

    def class_totals(self) -> list[str]:
        """For each class, the sum of its shares over the leaves."""
        tree = self.plan.fitted.tree
        shares = tree.leaf_distributions
        leaves = [node for node, decision in enumerate(self.plan.decisions) if decision is None]
        return [
            self.total([f"s{n} * {self.number(shares[n, c])}" for n in leaves if shares[n, c] > 0])
            for c in range(shares.shape[1])
        ]
