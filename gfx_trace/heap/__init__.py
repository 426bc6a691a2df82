"""The heap of a capture: what is written, what may share memory, and what holds what."""
