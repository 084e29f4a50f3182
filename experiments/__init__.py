"""Tables and figures of the papers, computed again: the paper's number beside ours."""
