"""One capture, from a target and what it is called with to a graph and what outlives the call."""
