"""Names of the text form: every value of a graph under a name of its own, from which its own name can be read back.

The first value called `x` is written `x`, the next ones `x__1`, `x__2`; one without a name `_1`, `_2`; a Python keyword
with an underscore behind it. `name__0` is a name that would otherwise be taken for one of these.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Collection

from .dtypes import DTYPES

CONSTANTS = frozenset((*DTYPES, *(d.short for d in DTYPES.values()), "inf", "nan", "UNBOUND", "tensor"))
"""Names that stand for constants in the text form."""
_NUMBERED = re.compile(r"(.*)__(\d+)")
_CAPITAL, _SMALL = "[A-ZÀ-ÖØ-Þ]", r"[^\W\d_A-ZÀ-ÖØ-Þ]"
_PARTS = re.compile(
    rf"{_CAPITAL}+(?:v\d+|(?!{_SMALL})\d*(?:(?<=\d){_SMALL}(?!{_SMALL}))?)|{_CAPITAL}?{_SMALL}+(?:\d+(?:{_SMALL}+|{_CAPITAL}(?!{_SMALL}))?)*|\d+|_+|\W+"
)
_WORDS = re.compile(r"[._]")
_UNNAMED = re.compile(r"_\d+")


def is_name(text: object) -> bool:
    """Whether a value may be called so: an identifier as Python would read it, keywords included."""
    if not isinstance(text, str) or not text.isidentifier():
        return False
    return text.isascii() or unicodedata.normalize("NFKC", text) == text


def identifier(text: str) -> str:
    """The text made an identifier; itself where it is one."""
    if is_name(text):
        return text
    text = re.sub(r"\W", "_", unicodedata.normalize("NFKC", text))
    return text if text.isidentifier() else f"v_{text}"


def called(qualname: str) -> str:
    """The name of a function by its qualified one: a lambda within `gated` is `gated_lambda`, as that name is taken; one within none
    is `f`."""
    *around, own = qualname.split(".")
    if not own.startswith("<"):
        return own
    outer = next((part for part in reversed(around) if not part.startswith("<")), "")
    return f"{outer}_lambda" if outer else "f"


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, or one with a number where it is taken."""
    free, count = name, 1
    while free in taken:
        free, count = f"{name}_{count}", count + 1
    return free


def snake(name: str, module: str = "") -> str:
    """A class's name as that of a function: `BatchNorm2d` gives `batch_norm2d`, `GPTBlock` `gpt_block`, `UNet` `unet`, `NeRF` `nerf`.

    A letter that a name begins with is no word of its own, and two letters are none before one or two others. A letter behind more is
    one, `TopKRouter` gives `top_k_router`, unless the class's `module` has the two as a word: `DeiT` of `models.deit` gives `deit`."""
    words: list[str] = []
    last, known = "", _WORDS.split(module)
    for part in _PARTS.findall(name):
        begins = len("".join(words[-1:])) == 1 and not "".join(words[-2:-1]).strip("_")
        ends = (len(last) == 2 and _ends(part)) or (len(part) == 1 and (last + part).lower() in known)
        if words and part[0].isupper() and (begins or ends):
            words[-1] += part
        else:
            words.append(part)
        last = part
    return re.sub("_+", "_", "_".join(words)).lower()


def _ends(part: str) -> bool:
    """Whether a part of a name ends the word that two letters begin: `RF`, `LU6`, but no version as `V2` is."""
    letters = part.rstrip("0123456789")
    return len(letters) == 2 or (part == letters and len(part) == 1)


class Names:
    """The names taken in one scope."""

    __slots__ = ("_counts", "_unnamed")

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._unnamed = 0

    def take(self, name: str | None) -> str:
        """A new name for what is called `name`."""
        if not name:
            self._unnamed += 1
            return f"_{self._unnamed}"
        name = identifier(name)
        count = self._counts.get(name, 0)
        self._counts[name] = count + 1
        if count:
            return f"{name}__{count}"
        if keyword.iskeyword(name):
            return f"{name}_"
        return name if original(name) == name and name not in CONSTANTS else f"{name}__0"


def original(text: str) -> str | None:
    """The name that `Names.take` gave this text for; None for one without a name."""
    numbered = _NUMBERED.fullmatch(text)
    if numbered:
        return numbered[1]
    if _UNNAMED.fullmatch(text):
        return None
    return text[:-1] if text[-1] == "_" and keyword.iskeyword(text[:-1]) else text
