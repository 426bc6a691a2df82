"""Heads: every class of transformers that puts one on a family of the zoo, in PyTorch and JAX source at sizes that the capture has not seen.

Usage: python benchmarks/zoo/heads.py, or names of classes. One line for each, of which the errors are relative (see measure.py).
"""

import inspect
import re
import sys

import jax.numpy as jnp
import measure
import torch
import transformers
from families import FAMILIES, TYPED

import gfx_trace as gfx

KINDS = r"(For\w+|LMHeadModel|DoubleHeadsModel|EncoderModel|(Text|Vision)Model(WithProjection)?|Backbone)"
PAIRED = ("MultipleChoice", "DoubleHeads")  # each input is a choice of two
SMALL = {"tdnn_dim": [16] * 3, "tdnn_kernel": [3, 2, 1], "tdnn_dilation": [1] * 3, "xvector_output_dim": 8}
WHOLE = frozenset(("Gemma3ForConditionalGeneration", "Gemma3ForSequenceClassification"))
"""Of which the family has the part for text alone."""


def heads():
    """(family, class) of all of them."""
    for family in FAMILIES:
        pattern = re.compile(family.removesuffix("Text") + KINDS)
        for name in dir(transformers):
            kind = getattr(transformers, name) if pattern.fullmatch(name) and name not in WHOLE else None
            if inspect.isclass(kind) and issubclass(kind, torch.nn.Module):
                yield family, kind


def made(family, kind):
    """A model with such a head, and its inputs by (batch, length)."""
    options, inputs = FAMILIES[family]
    part = kind.config_class.__name__.removesuffix("Config").removeprefix(family).lower()
    config = kind.config_class(**options.get(f"{part}_config", options))
    pad = getattr(config, "pad_token_id", None)
    config.update({"pad_token_id": 0 if pad is None else pad, "decoder_start_token_id": 0, **SMALL})
    if hasattr(config, "encoder_stride"):  # pixels of the last stage's patches
        config.encoder_stride = config.patch_size * 2 ** (len(getattr(config, "depths", "1")) - 1)
    model, taken = kind(config).eval(), inspect.signature(kind.forward).parameters
    for module in model.modules():
        if getattr(getattr(module, "config", None), "use_cache", False):
            module.config.use_cache = False
    alone = any(
        text in kind.__name__ for text in ("SequenceClassification", "QuestionAnswering")
    )  # they shift it themselves

    def given(batch, length):
        found = {
            name: x for name, x in inputs(batch, length).items() if name in taken and not (alone and "decoder" in name)
        }
        if not found:  # a decoder alone
            found = {"input_ids": inputs(batch, length)["decoder_input_ids"]}
        if alone and "decoder_input_ids" in taken:
            found["input_ids"][:, -1] = config.eos_token_id
        return (
            {name: torch.stack((x, x), 1) for name, x in found.items()}
            if any(text in kind.__name__ for text in PAIRED)
            else found
        )

    with torch.no_grad():
        model(**given(*measure.SEEN))  # what a first call sets up
    return model, given


def errors(family, kind):
    """The largest errors in PyTorch and in JAX source."""
    torch.manual_seed(0)
    model, given = made(family, kind)
    types = TYPED.get(family)
    with torch.no_grad():
        program = gfx.symbolic_trace(model, kwargs=types or given(*measure.SEEN), dynamic=types is None)
        for to, turned in (("torch", lambda x: x), ("jax", lambda x: jnp.asarray(x.numpy()))):
            written, worst = gfx.transpile(program, to=to), 0.0
            for size in measure.UNSEEN:
                new = given(*size)
                found = written(**{name: turned(x) for name, x in new.items()})
                worst = max(worst, measure.apart(measure.host(model(**new)), measure.host(found)))
            yield worst


def main():
    """Each head, or those that are named."""
    for family, kind in heads():
        if not sys.argv[1:] or kind.__name__ in sys.argv[1:]:
            try:
                told = " ".join(f"{error:.1e}" for error in errors(family, kind))
            except Exception as error:  # whatever a step of a head raises is its line
                told = f"{type(error).__name__}: {error}".partition("\n")[0]
            print(f"{kind.__name__}: {told}", flush=True)


if __name__ == "__main__":
    main()
