"""Control flow in source: how tests and loops are written, by the way in which the target has them."""
