"""Layers and activations of neural networks."""
