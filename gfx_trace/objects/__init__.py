"""Attributes, items, operators and truth of what captured code holds."""
