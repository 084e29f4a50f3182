"""The picture of methods: each at its size and error, no two names on top of each other."""

import re

from planetree.reporting import MethodPoint, size_and_error


def test_the_picture_of_methods_has_each_at_its_size_and_error():
    points = [
        MethodPoint("a", 0.1, 0.05, 0.2, 4.0, True),
        MethodPoint("b", 0.1, 0.05, 0.2, 4.0, False),
    ]
    drawn = size_and_error(points)
    at = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', drawn)
    assert at[0] == at[1]
    # a frame of 620 x 320 from (64, 12): x to 1.25 times the most terms, y to the highest end
    assert (float(at[0][0]), float(at[0][1])) == (64 + 620 / 1.25, 12 + 320 / 2)
    names = re.findall(r'<text[^>]* y="([\d.]+)"[^>]*>([ab])</text>', drawn)
    assert abs(float(names[0][0]) - float(names[1][0])) >= 12
