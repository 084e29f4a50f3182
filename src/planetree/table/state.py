"""A fit changes all of an estimator or nothing: not after an error, nor after an interrupt."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

__all__ = ["all_or_nothing", "forget"]

Method = TypeVar("Method", bound=Callable[..., Any])


def all_or_nothing(method: Method) -> Method:
    """Make a method leave its estimator as it was whenever it raises, whatever it raises.

    The attributes are put back in one assignment, so that a second interrupt finds no half of them.

    Examples
    --------
    >>> from planetree.table import all_or_nothing
    >>> class Account:
    ...     total = 1
    ...
    ...     @all_or_nothing
    ...     def double(self):
    ...         self.total *= 2
    ...         raise MemoryError
    >>> account = Account()
    >>> try:
    ...     account.double()
    ... except MemoryError:
    ...     print(account.total)
    1
    """

    @wraps(method)
    def run(self: Any, *args: Any, **named: Any) -> Any:
        before = dict(vars(self))
        try:
            return method(self, *args, **named)
        except BaseException:
            self.__dict__ = before
            raise

    return cast(Method, run)


def forget(estimator: Any) -> None:
    """Delete what an earlier fit learned: the attributes whose names end in an underscore."""
    for name in [name for name in vars(estimator) if name.endswith("_")]:
        delattr(estimator, name)
