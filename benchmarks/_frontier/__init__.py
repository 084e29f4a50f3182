"""Parts of the benchmark `frontier`: its data sets, methods, kept answers, measures and page."""
