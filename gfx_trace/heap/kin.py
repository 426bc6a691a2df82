"""Disjoint sets: tensors that may share memory, by union and find."""

from __future__ import annotations


class Kin:
    """Tensors of which any two may share memory, for all that is known: a set that only grows, by union and find."""

    __slots__ = ("joined",)

    def __init__(self) -> None:
        self.joined: Kin | None = None

    def all(self) -> Kin:
        """The set that this one is part of."""
        kin = self
        while kin.joined is not None:
            if kin.joined.joined is not None:
                kin.joined = kin.joined.joined
            kin = kin.joined
        return kin

    def join(self, other: Kin) -> None:
        """Let two sets be one."""
        mine, others = self.all(), other.all()
        if mine is not others:
            others.joined = mine
