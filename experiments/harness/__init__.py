"""What the experiments share: cells, folds, data, tests, comparison with the paper, and pages."""
