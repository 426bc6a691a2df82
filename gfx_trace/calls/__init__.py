"""Calls: lifted, entered, kept as functions, answered at capture, or run as they are."""
