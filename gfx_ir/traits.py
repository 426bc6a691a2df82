"""Traits: what rules may know of an op without its name."""

from __future__ import annotations

import enum


class Trait(enum.IntFlag):
    """What rules may know of an op without its name. Each is a law, and the tests hold every op that states it to it."""

    __and__ = __rand__ = int.__and__  # type: ignore[assignment]  # rules ask once a node, and only whether it is 0

    NONE = 0
    ELEMENTWISE = enum.auto()
    """Each element of the result follows from those at its place in the arguments, which broadcast. From the shape rule."""
    COMMUTATIVE = enum.auto()
    """op(a, b) is op(b, a)."""
    IDEMPOTENT = enum.auto()
    """op(op(x, ...)) is op(x, ...)."""
    INVOLUTION = enum.auto()
    """op(op(x)) is x, of the dtypes that it keeps."""
    IN_ORDER = enum.auto()
    """The elements of the first argument, in their order, in another shape."""
    PERMUTES = enum.auto()
    """The axes of the first argument in another order, which hangs on its rank and on constants."""
    CASTS = enum.auto()
    """The first argument in the dtype that the second one names."""
    TOTAL = enum.auto()
    """Element by element and defined for every number, as its derivatives are: what a mask leaves out may be computed, too."""
    ASKS = enum.auto()
    """Host data that hangs on what its arguments are (types, places, whether they are there), never on elements."""
    SHAPE_OF_FIRST = enum.auto()
    """Its result has the shape of the first argument."""
    LIKE = enum.auto()
    """Of the first argument it takes nothing but the type."""
    UNDERIVED = enum.auto()
    """JAX has no derivative of it, or not of every form of it, so that its arguments come without a gradient where none is asked for."""
    RANK_OF_FIRST = enum.auto()
    """Its result has as many axes as the first argument."""
    UNTOLD = enum.auto()
    """What its elements are nothing tells."""
    OF_ONE = enum.auto()
    """The number that the author took of a tensor of one element: of any other it raises."""
    FRESH = enum.auto()
    """Its result is memory of its own, though it computes nothing new: two of them are two."""
    SELECTS = enum.auto()
    """All that it gives are elements of the first argument, as they are."""
    AXES = enum.auto()
    """Where the axes of its tensors, all of one rank, stand in another order, and `axis` names the same ones, so do those of its result."""
    FLOATS = enum.auto()
    """Its result is of floating-point numbers where one of its tensors is, and all else real, in dtypes that promote with that."""
    WHOLE = enum.auto()
    """It takes whole numbers and booleans alone. From the dtype rule."""
    APART = enum.auto()
    """Nothing that it gives shares memory with what it takes, in any framework. From the family, of rows that do not say `shares`."""
    UNSAVED = enum.auto()
    """Its gradient does not hang on the elements that it takes (with positions: on those of the first argument), so that these may
    be written before backward."""
    NOT_NEGATIVE = enum.auto()
    """No number that it gives of real ones is negative."""
    KEEPS_SIGN = enum.auto()
    """No number that it gives is negative where none is that it takes: of ELEMENTWISE in all arguments, else in the first one."""
    CHECKS = enum.auto()
    """It may raise for elements of tensors that have the shapes and dtypes which it takes."""
    STEADY = enum.auto()
    """What its arguments lose in fewer bits is a few times what its result loses by that, relative to the largest number among
    them and it; and its numbers have the dtype that they have."""
    READS_AT = enum.auto()
    """The part of the first argument at the place that the second one names."""
    WRITES_AT = enum.auto()
    """The first argument with the third one at the place that the second one names, or added there where `accumulate` says so."""
    AFFINE = enum.auto()
    """A sum of multiples of the elements of its floating-point arguments, by factors that hang on none of these, and a constant."""
    JOINS = enum.auto()
    """One tensor of those in the first argument, a list of any length but none."""
    AVERAGES = enum.auto()
    """The sum of elements divided by how many they are."""
    ROW_BY_ROW = enum.auto()
    """What it gives has the axes of its first argument but the last one, behind which stands that of the second one."""
    RAISES = enum.auto()
    """Its effect is an exception or none: with the same arguments it has the same one, however often it runs."""
    LENGTH = enum.auto()
    """The size of the first argument along the axis that the second one names."""
    COUNTS = enum.auto()
    """Numbers from `start` on, `step` apart, up to `stop`; from 0 up to `start` where there is no `stop`."""
    BOTH = enum.auto()
    """What holds where both arguments do."""
    STACKS = enum.auto()
    """The tensors that it joins lie along an axis of their own, `axis`."""
    MERGES = enum.auto()
    """The axes of the first argument from the one that the second argument names to that of the third, as one."""
    STRETCHES = enum.auto()
    """The first argument in a larger shape, which the second one names: its elements are repeated along axes of one place and new ones."""
    PADS = enum.auto()
    """The first argument with elements before and behind those of its last axes: as many as a pair for each of these says, in the
    second argument."""
    MOVES = enum.auto()
    """The first argument on the device that the second one names."""
    OF_NUMBERS = enum.auto()
    """A tensor of the number, or numbers, that is its one argument beside `shape`, `dtype` and `device`."""
    GRADIENT = enum.auto()
    """The data of its last argument, with the gradient of the one before it: with none, where it takes no other."""
    TRUTH = enum.auto()
    """Whether the first argument is true, which a test asks of that itself."""
    CHOOSES = enum.auto()
    """The second argument where the first one is true, the third one where it is not."""
    ORDERS = enum.auto()
    """A list as Python orders it, by numbers that have to be at hand."""
    ITEM = enum.auto()
    """What stands at a path of an item of the list that is the first argument."""
    FIRST_ROWS = enum.auto()
    """Of the first rows of its tensors, along all axes but `axis`, it gives the first rows of its result."""
