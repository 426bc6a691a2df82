"""Random numbers from explicit keys."""
