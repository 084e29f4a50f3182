"""A table of four rows, and files with given content."""

NUMBERS = {"size": [1.5, 2.0, None, 4.25], "color": ["red", None, "blue", "red"]}


PLAIN = "size,color\n1.5,red\n2.0,\n,blue\n4.25,red\n"


def written(folder, content, name="t.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path
