"""Of which dtypes torch's functions take positions and masks: of others they raise, where other frameworks convert them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .lifting import require_index

_ROWS = (
    (0, "input", ("int64", "int32"), "F.embedding F.embedding_bag"),
    (1, "input", ("int64", "int32"), "nn.Embedding nn.EmbeddingBag"),
    (
        2,
        "index",
        ("int64", "int32"),
        "gather index_select index_add index_reduce scatter scatter_add scatter_reduce",
    ),
    (2, "index", ("int64",), "index_copy index_fill"),
    (1, "index", ("int64",), "take put"),
    (1, "indices", ("int64",), "take_along_dim"),
    (1, "target", ("int64", "uint8"), "nll_loss"),
    (1, "mask", ("bool",), "masked_fill masked_select masked_scatter"),
)
"""The place of an argument, its name, and the dtypes that it may have, of which functions: by their whole names or the last part."""
Asked = tuple[int, str, tuple[str, ...]]
_ASKED: dict[str, Asked] = {name: (at, key, dtypes) for at, key, dtypes, names in _ROWS for name in names.split()}


def asked(name: str) -> Asked | None:
    """Which argument of a function of torch's is asked, and its dtypes; None: none is."""
    if name.startswith("torch.ops."):  # whose arguments stand in another order
        return None
    return _ASKED.get(name) or _ASKED.get(name.rpartition(".")[2].removesuffix("_"))


def refusing(fn: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The lift `fn` of a function of torch's, which refuses positions and masks of dtypes that the function does not take."""
    row = asked(name)
    if row is None:
        return fn
    at, key, dtypes = row

    @functools.wraps(fn)
    def lift(*args: Any, **kwargs: Any) -> Any:
        given = args[at] if at < len(args) else kwargs.get(key)
        require_index(f"{key} of {name}", given, *dtypes)
        return fn(*args, **kwargs)

    return lift
