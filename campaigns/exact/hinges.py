"""Programs of violations in exact rationals: the value of given planes, and better ones.

One plane (w, gamma) a class, or one for two classes; unknowns are those of X in its own units. A
kink (a, b, below, above) costs below * max(0, b - a.z) + above * max(0, a.z - b):

    linear       sum of kinks: a row against a rival (below its charge), a weight's price (both)
    quadratic    half the sum of charge * max(0, 1 - a.z)^2, and l2 / 2 * sum |w_c scale|^2

`descend` is the simplex method for such sums: from the vertex nearest to given planes it walks
edges until multipliers within [-below, above] prove the vertex optimal.
"""

from dataclasses import dataclass

from campaigns.exact.rational import ONE, ZERO, Rational, as_float, dot, exact, inverse, solve_first

MOST_STEPS = 60
HALF = Rational(1, 2)


@dataclass(frozen=True)
class Kink:
    """One bend of a convex function of a.z."""

    a: list
    b: object
    below: object
    above: object

    def cost(self, z):
        """What it costs at z."""
        short = self.b - dot(self.a, z)
        return self.below * short if short > 0 else -self.above * short


def row_kinks(rows, codes, charges, n_classes):
    """Kinks of rows against their rivals; two classes have one plane, others one each.

    `charges[i][j]` is what a row of class i is charged for a violation against class j.
    """
    n = len(rows[0])
    kinks = []
    for x, code in zip(rows, codes, strict=True):
        for rival in range(n_classes):
            if rival == code:
                continue
            plane = [*x, -ONE]
            if n_classes == 2:
                a = plane if code == 1 else [-each for each in plane]
            else:
                a = [ZERO] * (n_classes * (n + 1))
                a[code * (n + 1) : (code + 1) * (n + 1)] = plane
                a[rival * (n + 1) : (rival + 1) * (n + 1)] = [-each for each in plane]
            kinks.append(Kink(a, ONE, charges[code][rival], ZERO))
    return kinks


def price_kinks(prices, n_planes):
    """Kinks of the absolute weights, each with its price."""
    n = len(prices)
    kinks = []
    for plane in range(n_planes):
        for j, price in enumerate(prices):
            a = [ZERO] * (n_planes * (n + 1))
            a[plane * (n + 1) + j] = ONE
            kinks.append(Kink(a, ZERO, price, price))
    return kinks


def linear_value(kinks, z):
    """Sum of the kinks' costs."""
    return sum((kink.cost(z) for kink in kinks), ZERO)


def quadratic_value(kinks, penalty, z):
    """Half the charged squares of what is short, and the penalty z.P.z / 2."""
    total = ZERO
    for kink in kinks:
        short = kink.b - dot(kink.a, z)
        if short > 0:
            total += kink.below * short * short
    return HALF * (total + dot([dot(row, z) for row in penalty], z))


def descend(kinks, z):
    """Best vertex that can be reached from near z, and whether it is proved optimal."""
    size = [max(abs(as_float(a)) for a in kink.a) or 1.0 for kink in kinks]
    off = [abs(as_float(k.b - dot(k.a, z))) / s for k, s in zip(kinks, size, strict=True)]
    order = sorted(range(len(kinks)), key=off.__getitem__)
    z, chosen, kept = solve_first([[*kinks[i].a, kinks[i].b] for i in order], len(z))
    basis = [order[i] for i in chosen]
    short = [[kink.a[j] for j in kept] for kink in kinks]
    inner = [z[j] for j in kept]
    proved = False
    for _ in range(MOST_STEPS):
        step = _edge(kinks, short, inner, basis)
        if step is None:
            proved = True
            break
        inner, basis = step
    for j, value in zip(kept, inner, strict=True):
        z[j] = value
    return z, proved


def _edge(kinks, rows, z, basis):
    """Vertex after one step along an improving edge, with its basis; None at an optimum."""
    scores = [dot(row, z) for row in rows]
    left = [score - kink.b for score, kink in zip(scores, kinks, strict=True)]
    inside = set(basis)
    pull = [ZERO] * len(z)
    for kink, row, over in zip(kinks, rows, left, strict=True):
        slope = kink.above if over > 0 else -kink.below if over < 0 else ZERO
        if slope:
            pull = [p + slope * a for p, a in zip(pull, row, strict=True)]
    back = inverse([rows[i] for i in basis])
    columns = list(zip(*back, strict=True))
    for place, i in sorted(enumerate(basis), key=lambda each: each[1]):
        multiplier = -dot(pull, columns[place])
        if -kinks[i].below <= multiplier <= kinks[i].above:
            continue
        sign = ONE if multiplier > 0 else -ONE
        direction = [sign * each for each in columns[place]]
        speed = [dot(row, direction) for row in rows]
        enter, length = _line(kinks, left, speed, inside, i)
        moved = [a + length * b for a, b in zip(z, direction, strict=True)]
        return moved, [*basis[:place], enter, *basis[place + 1 :]]
    return None


def _line(kinks, left, speed, inside, leaving):
    """The kink where the slope along an edge stops being negative, and how far away it is.

    Kinks that lie at the vertex but not in its basis are crossed at length 0.
    """
    slope, stops = ZERO, []
    for i, kink in enumerate(kinks):
        if not speed[i] or (i in inside and i != leaving):
            continue
        if i == leaving:
            slope += (kink.above if speed[i] > 0 else -kink.below) * speed[i]
            continue
        ahead = left[i] == 0 or (left[i] < 0) == (speed[i] > 0)
        before = -kink.below if speed[i] > 0 else kink.above
        after = kink.above if speed[i] > 0 else -kink.below
        slope += (before if ahead else after) * speed[i]
        if ahead:
            stops.append((-left[i] / speed[i], i))
    for length, i in sorted(stops):
        slope += (kinks[i].below + kinks[i].above) * abs(speed[i])
        if slope >= 0:
            return i, length
    raise ArithmeticError("The sum of kinks has no least value.")


def newton(kinks, penalty, z):
    """Least squares of the violated rows, again and again; the best planes met."""
    best, z = quadratic_value(kinks, penalty, z), list(z)
    for _ in range(MOST_STEPS):
        violated = [kink for kink in kinks if dot(kink.a, z) < kink.b]
        target = _least_squares(violated, penalty, len(z))
        for halvings in range(12):
            share = Rational(1, 2**halvings)
            tried = [a + share * (b - a) for a, b in zip(z, target, strict=True)]
            value = quadratic_value(kinks, penalty, tried)
            if value < best:
                break
        else:
            return z
        z, best = tried if halvings == 0 else _shortened(tried), value
        best = quadratic_value(kinks, penalty, z) if halvings else value
    return z


def _shortened(z):
    """Rationals that are floats again, so that their digits do not pile up."""
    return [exact(as_float(each)) for each in z]


def _least_squares(violated, penalty, n):
    normal = [[*row, ZERO] for row in penalty]
    for kink in violated:
        for p in range(n):
            if kink.a[p]:
                factor = kink.below * kink.a[p]
                line = normal[p]
                for q in range(n):
                    line[q] += factor * kink.a[q]
                line[n] += factor * kink.b
    return solve_first(normal, n)[0]
