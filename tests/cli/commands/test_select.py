"""`planetree select` and `rank`: tables and pictures of columns."""

from exit_codes import OUTPUT, rows_of


def test_select_and_rank_write_tables_and_pictures(at, fitted):
    files = ("--csv", "s.csv", "--picture", "s.svg", "--force")
    selected = at("select", "iris.csv", "--target", "species", "--max-features", "1", *files)
    assert selected.code == 0, selected.err
    assert "1 of 4 columns selected by sparse-planes" in selected.out
    (row,) = rows_of((fitted / "s.csv").read_text())
    assert (row["rank"], row["column"]) == ("1", "petal length")
    assert (fitted / "s.svg").read_text().startswith("<?xml")
    ranked = at(
        "rank", "iris.csv", "--target", "species", "--picture", "r.png", "--force", "--json"
    )
    order = [each["column"] for each in ranked.json["ranking"]]
    assert set(order[:2]) == {"petal length", "petal width"}
    assert len(order) == 4
    assert (fitted / "r.png").read_bytes().startswith(b"\x89PNG")
    assert at("select", "iris.csv", "--target", "species", "--picture", "s.txt").refused(OUTPUT)


def test_columns_of_equal_weight_share_a_rank(here, tmp_path):
    lines = [f"{i},{i},{i % 2},{'xy'[i > 19]}\n" for i in range(40)]
    (tmp_path / "t.csv").write_text("a,b,c,class\n" + "".join(lines))
    words = ("rank", "t.csv", "--target", "class", "--method", "plane")
    ranking = here(tmp_path, *words, "--json").json["ranking"]
    weights = {each["column"]: each["weight"] for each in ranking}
    ranks = {each["column"]: each["rank"] for each in ranking}
    for one in weights:
        assert ranks[one] == 1 + sum(w > weights[one] * (1 + 1e-9) for w in weights.values())
    assert "share a rank" in here(tmp_path, *words).out
