"""Parity of n bits by the multisurface method: Bennett (1993), section 2.3 and Figure 2.4.

All 2^n rows must be classified; the thesis reports 2p - 1 = n hidden units for odd n and n + 1 for
even n. The widest pair of planes, problem (2.2), is exact here: for n >= 4 its only normals are
the unit vectors, whose pair cuts off no row, so every count below is owed to the rule against
degeneracy, which the thesis does not state.
"""

import time

from planetree import MultisurfaceClassifier
from planetree.convert import to_network
from planetree.datasets import parity


def main() -> None:
    """Print a line for each n."""
    print(f"{'bits':>4} {'rows':>5} {'right':>6} {'pairs':>6} {'units':>6} {'thesis':>7} {'s':>7}")
    for n in range(2, 11):
        X, y = parity(n)
        start = time.perf_counter()
        model = MultisurfaceClassifier().fit(X, y)
        seconds = time.perf_counter() - start
        network = to_network(model)
        right = int((network.predict(X) == y).sum())
        thesis = n if n % 2 else n + 1
        print(f"{n:>4} {len(X):>5} {right:>6} {model.n_pairs_:>6} {network.n_hidden_units:>6} "
              f"{thesis:>7} {seconds:>7.3f}")  # fmt: skip


if __name__ == "__main__":
    main()
