"""Selectors take the tables that estimators take, where scikit-learn's mixin reads fewer."""

from typing import Any

from sklearn.feature_selection import SelectorMixin

from planetree.table import without_dictionaries


class Selector(SelectorMixin):
    """scikit-learn's mixin, whose `transform` also takes text that pandas keeps in pyarrow."""

    def transform(self, X: Any) -> Any:
        """Keep the selected columns.

        Parameters
        ----------
        X : array or frame of shape (n_rows, n_features)

        Returns
        -------
        array of shape (n_rows, n_selected), or what `set_output` asks for
        """
        return super().transform(without_dictionaries(X))
