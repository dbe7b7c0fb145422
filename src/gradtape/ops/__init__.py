"""The mathematics: one family per file, each forward beside its derivative."""
