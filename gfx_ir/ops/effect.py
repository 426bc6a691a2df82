"""Ops that act on the world: printing, checks, calls of unknown functions."""
