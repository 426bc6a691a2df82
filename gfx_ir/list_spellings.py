"""How Python's lists are written: alike in every target."""

from __future__ import annotations

from types import SimpleNamespace


def at_path(args: SimpleNamespace) -> str:
    """An item of a list, or what stands at a path of it."""
    return "".join(("items[index]", *(f"[{key!r}]" for key in args.path)))


def in_order(args: SimpleNamespace) -> str:
    """A list in the order of its items, or of `keys` beside them."""
    backwards = ", reverse=True" if args.reverse else ""
    if args.keys is None:
        return f"sorted(items{backwards})"
    return f"[item for _, item in sorted(zip(keys, items), key=lambda pair: pair[0]{backwards})]"
