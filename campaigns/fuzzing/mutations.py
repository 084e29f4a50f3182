"""Changes to a JSON document or to its text that a careless or hostile hand might make."""

import json
import re
from difflib import SequenceMatcher

ODD = [None, True, False, 0, -1, 1, 2, 3, 2**31, 2**63, 10**400, 0.5, -0.0, 1e308, 5e-324]
ODD += ["", "nan", "inf", "C", "F", "a", "x0", "float64", "int64", "object", "bool", "str1"]
ODD += ["str9999999", "Tree", "Planes", "AxisSplits", "Column", "RobustSeparator", "argmax"]
ODD += ["KNeighborsClassifier", [], {}, [0], [[]], [1, 2], {"tuple": []}, {"float": "nan"}]
ODD += [{"dict": []}, {"record": "Tree"}]
NAMES = ["order", "x", "predict", "coef_", "planes_", "n_jobs", "__class__", "fitted"]


def places(said):
    """Every container of a document with each key into it."""
    keys = said if isinstance(said, dict) else range(len(said)) if isinstance(said, list) else ()
    for key in keys:
        yield said, key
        yield from places(said[key])


def mutate_value(document, rng):
    """Change, drop, add or swap a few values of a document."""
    found = list(places(document))
    for held, key in rng.sample(found, rng.choice([1, 1, 1, 2, 5])):
        other, other_key = rng.choice(found)
        if key not in (held if isinstance(held, dict) else range(len(held))):
            continue  # a change before this one took it away
        way = rng.randrange(6)
        if way == 0:
            held[key] = rng.choice(ODD)
        elif way == 1:
            del held[key]
        elif way == 2:
            held[key] = _copy_of(other, other_key)
        elif way == 3 and isinstance(held[key], (int, float)):
            held[key] = rng.choice([held[key] + 1, -held[key], held[key] * 10**9, held[key] - 1])
        elif way == 4 and isinstance(held, list):
            held.insert(key, rng.choice(ODD))
        elif isinstance(held, dict):
            held[rng.choice(NAMES)] = rng.choice(ODD)
    return json.dumps(document)


def _copy_of(held, key):
    """A copy of what stands at a place, or None if nothing does any more."""
    there = key in (held if isinstance(held, dict) else range(len(held)))
    return json.loads(json.dumps(held[key])) if there else None


def mutate_text(text, rng):
    """Cut, repeat or overwrite pieces of a text."""
    for _ in range(rng.choice([1, 2, 4])):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.choice([0, 1, 1, 3, 20, 1000]))
        piece = rng.choice(["", rng.choice('{}[]",:-0123456789eE.\\ \x00é'), text[start:end] * 2])
        text = text[:start] + piece + text[end:]
    return text


def _parts(text):
    """Words, numbers and signs of a text."""
    return re.findall(r"[\w.]+|[^\w.]", text)


def _agreement(before, after):
    """How many elements two lists have in common before the first that differs."""
    same = (one == other for one, other in zip(before, after, strict=False))
    return next((i for i, each in enumerate(same) if not each), min(len(before), len(after)))


def _differences(before, after):
    """Slices of two lists where they differ, as (start, end, start, end)."""
    head = _agreement(before, after)
    tail = _agreement(before[head:][::-1], after[head:][::-1])
    middles = before[head : len(before) - tail], after[head : len(after) - tail]
    found = SequenceMatcher(None, *middles, autojunk=False).get_opcodes()
    return [tuple(head + each for each in place) for way, *place in found if way != "equal"]


def changes_of(text, changed):
    """The places where a text was changed, each with what was there and what is."""
    before, after = _parts(text), _parts(changed)
    told = []
    for a, b, c, d in _differences(before, after):
        near, old, new = "".join(before[max(0, a - 12) : a]), before[a:b], after[c:d]
        told.append(f"after {near!r}: {''.join(old)!r:.300} became {''.join(new)!r:.300}")
    return "; ".join(told)


def needed_changes(text, changed, has_finding):
    """The changes of a text without which a finding is gone: each other one is taken back."""
    rest = len(_differences(_parts(text), _parts(changed)))
    while rest > 0:
        rest -= 1
        before, after = _parts(text), _parts(changed)
        places = _differences(before, after)
        if len(places) < 2:
            break
        if rest < len(places):
            a, b, c, d = places[rest]
            tried = "".join(after[:c] + before[a:b] + after[d:])
            changed = tried if has_finding(tried) else changed
    return changes_of(text, changed)
