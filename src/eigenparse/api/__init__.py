"""The public face of the models: load or fit one, then parse, score and sample with it."""
