"""A worker process answers in lines of JSON, errors in words, and prints nothing else there."""

import json
import subprocess
import sys


def test_tasks_are_answered_line_by_line_and_errors_end_nothing(tmp_path):
    (tmp_path / "t.csv").write_text("a,class\n1,x\n2,y\n")
    asked = [
        {"task": "survey", "recipe": {"file": "t.csv"}},
        {"task": "survey", "recipe": {"file": "none.csv"}},
        {"task": "survey", "recipe": {"file": "../t.csv"}},
        {"task": "nonsense"},
        {"task": "survey", "recipe": {"file": "t.csv", "target": "class"}},
    ]
    with subprocess.Popen(
        [sys.executable, "-m", "planetree.studio.desk", str(tmp_path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as worker:  # fmt: skip
        worker.stdin.write("".join(json.dumps(each) + "\n" for each in asked))
        worker.stdin.flush()
        said = [json.loads(worker.stdout.readline()) for _ in asked]
        worker.stdin.close()
        assert worker.stdout.read() == ""  # it ends when nobody can ask any more
    assert [list(each) for each in said] == [
        ["result"],
        ["error"],
        ["error"],
        ["error"],
        ["result"],
    ]
    assert said[0]["result"]["rows"] == 2
    assert "none.csv" in said[1]["error"]
    assert said[3]["error"].startswith("KeyError: ")
