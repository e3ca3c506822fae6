"""The papers' experiments: a treebank or a known grammar in, a report with the published figures beside out."""
