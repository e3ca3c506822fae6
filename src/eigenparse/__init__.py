"""Spectral learning of latent-variable structured models."""

__version__ = "0.1.0"
