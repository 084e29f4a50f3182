"""Speed against peers: every figure is a ratio of times measured in one run."""
