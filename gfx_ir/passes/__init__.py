"""Graph → Graph transformations, one file each."""
