"""What the captured code asked of objects, as they were before the call."""

from __future__ import annotations

from .journal import Journal


class Asked:
    """Attributes whose value from before the call the captured code asked for, by object and name."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._places: set[tuple] = set()

    def add(self, place: tuple) -> None:
        """Note that what stands at a place was asked for; what the code itself has written there is not from before."""
        key = place[0], "attribute", place[1]
        if not any(key in frame for frame in self._journal.frames):
            self._places.add(place)

    def __contains__(self, place: tuple) -> bool:
        return place in self._places
