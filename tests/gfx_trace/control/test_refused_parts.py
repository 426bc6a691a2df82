"""A refusal about a part of a container or an object names the part and what the user calls the whole."""

import json

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError

X = torch.tensor([1.0, 2.0, 3.0])


class Box:
    pass


def item_of_a_tuple(x):
    mode = ("a", 1.0)
    if x.sum() > 0:
        mode = ("b", 1.0)
    return mode[0]


def item_within(x):
    if x.sum() > 0:
        out = {"k": [x, x[:2]]}
    else:
        out = {"k": [x, x]}
    return out["k"][1]


def slot_of_a_branch(x):
    state = {"v": x}
    if x.sum() > 0:
        state["v"] = x[:2]
    return state


def new_key(x):
    cache = {}
    if x.sum() > 0:
        cache["y"] = x
    return cache


def new_attribute(x):
    box = Box()
    if x.sum() > 0:
        box.y = x
    return box.y


def slot_of_a_loop(x):
    state = {"v": x.long()}
    while state["v"].sum() < 10:
        state["v"] = state["v"] + x
    return state


def item_of_a_loop(x):
    pair = (x, 0)
    while pair[0].sum() < 100:
        pair = (torch.cat([pair[0], x]), pair[1] + 1)
    return pair


def another_shape(x):
    y = x
    if x.sum() > 0:
        y = x[:2]
    return y


def another_structure(x):
    y = [x]
    if x.sum() > 0:
        y = 2.5
    return y


def a_tensor_for_a_tuple(x):
    y = (x, 1)
    while x.sum() > 0:
        x = x - 1
        y = x
    return y


def text_or_list(x):
    """What no graph can hold: a text on one side, a list on the other."""
    return "a" if x.sum() > 0 else [x]


def in_a_join(x):
    return len(", ".join(["b", text_or_list(x)])) * x


def in_json(x):
    return len(json.dumps([text_or_list(x)])) * x


def in_a_replacement(x):
    return len("abc".replace("a", text_or_list(x))) * x


def by_its_class(x):
    return x if type(text_or_list(x)) is str else -x


def as_an_item(x):
    return x if text_or_list(x) in ("a", "b") else -x


def as_an_attribute(x):
    return x if getattr(Box(), text_or_list(x), None) is None else -x


@pytest.mark.parametrize("fn", [in_a_join, in_json, in_a_replacement, by_its_class, as_an_item, as_an_attribute])
def test_what_no_graph_can_hold_is_refused_where_code_meets_it(fn):
    with pytest.raises(CaptureError, match="GFX cannot convert this"):
        gfx.symbolic_trace(fn, X)


@pytest.mark.parametrize(
    "fn, said",
    [
        (item_of_a_tuple, "item 0 of 'mode' is a str"),
        (item_within, "item 1 of item 'k' of 'out' has shape"),
        (slot_of_a_branch, "key 'v' of 'state' has shape"),
        (new_key, "whether it has the key 'y' hangs on data"),
        (new_attribute, "'y' is defined in only one branch"),
        (slot_of_a_loop, "key 'v' of 'state' changes its dtype"),
        (item_of_a_loop, "item 0 of 'pair' changes its shape"),
        (another_shape, r"'y' has shape \(2,\) on one side and \(3,\) on the other"),
        (another_structure, r"'y' differs in structure \(a float and a list of length 1\)"),
        (a_tensor_for_a_tuple, "'y' becomes a tensor in the loop, and was a tuple of length 2 before"),
    ],
)
def test_the_part_and_the_whole_are_named(fn, said):
    with pytest.raises(CaptureError, match=f"GFX cannot convert this .*{said}"):
        gfx.symbolic_trace(fn, X)
