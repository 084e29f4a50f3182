"""Tables of figures in Markdown, kept beside the code and shown by docs/soundness.md.

`python -m campaigns.printing` writes the page's block of figures again.
"""

from pathlib import Path

FIGURES = Path(__file__).parent / "figures"
PAGE = Path(__file__).parents[1] / "docs" / "soundness.md"
BEGIN, END = "<!-- figures: python -m campaigns.printing -->", "<!-- end of figures -->"


def counts_table(head, rows):
    """Markdown table: a name and its numbers a line."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1)]
    lines += [[name, *cells] for name, cells in rows.items()]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def kept_rows(name):
    """Cells of a table that was kept, by the names of its lines; none if there is no such table."""
    path = FIGURES / f"{name}.md"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    cells = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    return {name: numbers for name, *numbers in cells[2:]}


def save(name, table, note):
    """Keep a table, and show it on the page."""
    FIGURES.mkdir(exist_ok=True)
    (FIGURES / f"{name}.md").write_text(f"{note}\n\n{table}\n", "utf-8")
    write_page()


def write_page():
    """Put every table that was kept between the marks of the page."""
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    parts = [
        f"### {path.stem.replace('-', ', ').replace('_', ' ').capitalize()}\n\n"
        f"{path.read_text('utf-8').strip()}"
        for path in sorted(FIGURES.glob("*.md"))
    ]
    PAGE.write_text(before + "\n\n".join([BEGIN, *parts, END]) + after, "utf-8")


if __name__ == "__main__":
    write_page()
