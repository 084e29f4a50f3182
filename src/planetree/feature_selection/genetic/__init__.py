"""SET-GEN: genetic search over subsets of features."""
