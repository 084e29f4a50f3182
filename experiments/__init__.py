"""Tables and figures of the papers, computed again: the paper's number beside ours.

An experiment is a module of this package, named after its paper and its table or figure:
`bennett_table_4_1` is `bennett-table-4.1`, or `table-4.1` for short. Its docstring says what is
done and stands in the page; `run(bench)` returns the tidy frame; `PAIRS` names methods to be
compared by statistical tests; `draw(frame)` makes the figure, where there is one. The papers'
numbers are in `papers/*.toml`.
"""
