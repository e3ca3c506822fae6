"""Whole corpora in, results out in order and by blocks, on any ``Work``: what the command line calls."""
