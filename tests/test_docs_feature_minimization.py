"""The code of the guide to feature minimization runs."""

from pathlib import Path

import planetree

GUIDE = Path(__file__).parents[1] / "docs" / "feature_minimization.md"


def test_the_code_of_the_guide_runs(capsys):
    blocks = [part.split("```")[0] for part in GUIDE.read_text().split("```python\n")[1:]]
    names = dict(vars(planetree))
    for block in blocks:
        exec(compile(block, GUIDE.name, "exec"), names)
    assert "otherwise: benign" in capsys.readouterr().out
    assert names["search"].best_params_["error_increase"] in (0.0, 0.1, 0.2, 0.5)
