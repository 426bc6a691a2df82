"""Seeds of aimed programs that are answered wrongly, or fail without a clear refusal: whoever mends one takes it out."""

BY_THING = {
    "cache": (37, 153),
    "number": (52, 81, 89, 130, 151, 238),
    "scalars": (50, 60, 125, 131, 159, 185, 223),
    "two of one": (30, 162),
}
KNOWN = frozenset(seed for seeds in BY_THING.values() for seed in seeds)
