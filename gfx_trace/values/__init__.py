"""Abstract values of a capture: what stands for tensors and host values, gated values, the record of what is known of them."""
