"""Running programs: the reference, the executor of one backend."""
