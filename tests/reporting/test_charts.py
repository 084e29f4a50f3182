"""Charts: numbers stand at their places, and nothing outside the frame."""

import re

import numpy as np
import pytest

from planetree.reporting.charts import Frame

FRAME = Frame(-2.0, 6.0, left=10.0, top=20.0, width=80.0, height=40.0)


def test_corners_and_middle_of_the_frame_are_where_its_numbers_say():
    assert [FRAME.x(value) for value in (-2.0, 2.0, 6.0)] == [10.0, 50.0, 90.0]
    assert [FRAME.y(share) for share in (0.0, 0.5, 1.0)] == [60.0, 40.0, 20.0]
    assert (FRAME.x(-99.0), FRAME.x(99.0)) == (10.0, 90.0)
    assert FRAME.numbers() == ["-2", "0", "2", "4", "6"]


def test_a_path_goes_through_its_points_in_order():
    text = FRAME.path(np.array([-2.0, 2.0, 6.0]), np.array([0.0, 0.5, 1.0]), code=12)
    assert 'd="M10.0 60.0 L50.0 40.0 L90.0 20.0"' in text
    assert "--class-2" in text


def test_stacked_bars_are_as_high_as_their_counts_and_the_tallest_fills_the_frame():
    counts = np.array([[1.0, 0.0], [1.0, 4.0]])
    bars = FRAME.bars(np.array([-2.0, 2.0, 6.0]), counts)
    found = [
        [float(re.search(rf' {name}="([\d.]+)"', bar)[1]) for name in ("x", "y", "width", "height")]
        for bar in bars
    ]
    np.testing.assert_allclose(
        found,
        [[10.4, 50.0, 39.2, 10.0], [10.4, 40.0, 39.2, 10.0], [50.4, 20.0, 39.2, 40.0]],
    )


def test_a_grid_has_a_line_and_a_word_for_each_step():
    text = FRAME.grid(["a", "b", "c"], ["0%", "100%"])
    assert text.count("<line") == 2
    assert re.findall(r'<text[^>]* x="([\d.]+)"[^>]*>([abc])</text>', text) == [
        ("10.0", "a"), ("50.0", "b"), ("90.0", "c"),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["<b>&", 'a"b'])
def test_names_in_a_chart_are_text(name):
    text = FRAME.chart(name, name, name, FRAME.text(0, 0, name))
    assert (
        name not in text.replace("&quot;", "").replace("&#34;", "").replace("&#x27;", "")
        or '"' in name
    )
    assert "<b>" not in text
