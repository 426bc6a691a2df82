"""Connectionist temporal classification in NumPy. Emitted NumPy source contains what it needs word for word."""

from __future__ import annotations

from typing import Any

import numpy as np


def ctc_labels(targets, lengths, blank):
    """The labels of each row with blanks around them, (batch, 2 * longest + 1), and where one may follow the last but one.

    `targets` is (batch, longest), or flat, one row behind the other."""
    if targets.ndim == 1:
        at = (np.cumsum(lengths) - lengths)[:, None] + np.arange(len(targets))
        targets = targets[np.minimum(at, len(targets) - 1)]
    blanks = np.full_like(targets, blank)
    labels = np.stack((blanks, targets), axis=2).reshape(len(targets), -1)
    labels = np.concatenate((labels, np.full_like(labels[:, :1], blank)), axis=1)
    labels = np.where(np.arange(labels.shape[1]) < 2 * lengths[:, None], labels, blank)
    before = np.concatenate((np.full_like(labels[:, :2], blank), labels), axis=1)[:, :-2]
    return labels, (labels != blank) & (labels != before)


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    """The negative log-probability of each row's labels, over all ways in which they may lie in time."""
    input_lengths, lengths = np.reshape(input_lengths, -1), np.reshape(target_lengths, -1)
    if log_probs.ndim == 2:
        options = (input_lengths, lengths, blank, reduction, zero_infinity)
        loss = ctc_loss(log_probs[:, None], targets.reshape(1, -1), *options)
        return loss[0] if reduction == "none" else loss
    labels, skips = ctc_labels(targets, lengths, blank)
    least = np.full_like(log_probs[0, :, :1], -np.inf)
    by_label = np.take_along_axis(log_probs, np.broadcast_to(labels, (len(log_probs), *labels.shape)), axis=2)
    scores = np.where(np.arange(labels.shape[1]) < 2, by_label[0], -np.inf)
    for t in range(1, len(log_probs)):
        one = np.concatenate((least, scores), axis=1)[:, :-1]
        two = np.where(skips, np.concatenate((least, one), axis=1)[:, :-1], -np.inf)
        new = np.logaddexp(np.logaddexp(scores, one), two) + by_label[t]
        scores = np.where((t < input_lengths)[:, None], new, scores)
    ends = np.take_along_axis(scores, 2 * lengths[:, None], axis=1)[:, 0]
    last = np.take_along_axis(scores, np.maximum(2 * lengths - 1, 0)[:, None], axis=1)[:, 0]
    losses = -np.logaddexp(ends, np.where(lengths > 0, last, -np.inf))
    losses = np.where(input_lengths > 0, losses, np.where(lengths > 0, np.inf, 0)).astype(log_probs.dtype)
    losses = np.where(np.isinf(losses), 0, losses) if zero_infinity else losses
    if reduction == "none":
        return losses
    return losses.sum() if reduction == "sum" else (losses / np.maximum(lengths, 1).astype(losses.dtype)).mean()


ALIGNMENT: dict[str, Any] = {f.__name__: f for f in (ctc_labels, ctc_loss)}
