"""Score sheets: whole points for a few questions, with a proof that no others do better."""
