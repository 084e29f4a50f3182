"""Changes to a JSON document or to its text that a careless or hostile hand might make."""

import json

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
