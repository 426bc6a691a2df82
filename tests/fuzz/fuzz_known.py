"""Seeds of aimed programs that are answered wrongly, or fail without a clear refusal: whoever mends one takes it out."""

BY_THING = {
    "cache": (153,),
    "number": (130,),
}
KNOWN = frozenset(seed for seeds in BY_THING.values() for seed in seeds)
