"""The public Python interface: load or fit a model, then parse, score and sample with it."""
