"""Connectionist temporal classification as a scan over time. Emitted source contains the functions it needs."""

import jax
import jax.numpy as jnp


def ctc_labels(targets, lengths, blank):
    """The labels of each row with blanks around them, (batch, 2 * longest + 1), and where one may follow the last but one.

    `targets` is (batch, longest), or flat, one row behind the other.
    """
    targets = jnp.asarray(targets)
    if targets.ndim == 1:
        at = (jnp.cumsum(lengths) - lengths)[:, None] + jnp.arange(len(targets))
        targets = targets[jnp.minimum(at, len(targets) - 1)]
    blanks = jnp.full_like(targets, blank)
    labels = jnp.stack((blanks, targets), axis=2).reshape(len(targets), -1)
    labels = jnp.concatenate((labels, jnp.full_like(labels[:, :1], blank)), axis=1)
    labels = jnp.where(jnp.arange(labels.shape[1]) < 2 * lengths[:, None], labels, blank)
    before = jnp.concatenate((jnp.full_like(labels[:, :2], blank), labels), axis=1)[:, :-2]
    return labels, (labels != blank) & (labels != before)


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    """The negative log-probability of each row's labels, over all ways in which they may lie in time."""
    input_lengths, lengths = jnp.ravel(jnp.asarray(input_lengths)), jnp.ravel(jnp.asarray(target_lengths))
    if log_probs.ndim == 2:
        options = (input_lengths, lengths, blank, reduction, zero_infinity)
        loss = ctc_loss(log_probs[:, None], targets.reshape(1, -1), *options)
        return loss[0] if reduction == "none" else loss
    labels, skips = ctc_labels(targets, lengths, blank)
    least = jnp.finfo(log_probs.dtype).min / 2  # what infinite ones have in place of derivatives is no number
    edge = jnp.full_like(log_probs[0, :, :1], least)
    by_label = jnp.take_along_axis(log_probs, labels[None], axis=2)

    def step(scores, inputs):
        t, found = inputs
        one = jnp.concatenate((edge, scores), axis=1)[:, :-1]
        two = jnp.where(skips, jnp.concatenate((edge, one), axis=1)[:, :-1], least)
        new = jnp.maximum(jnp.logaddexp(jnp.logaddexp(scores, one), two) + found, least)
        return jnp.where((t < input_lengths)[:, None], new, scores), None

    scores = jnp.where(jnp.arange(labels.shape[1]) < 2, jnp.maximum(by_label[0], least), least)
    scores, _ = jax.lax.scan(step, scores, (jnp.arange(1, len(log_probs)), by_label[1:]))
    ends = jnp.take_along_axis(scores, 2 * lengths[:, None], axis=1)[:, 0]
    last = jnp.take_along_axis(scores, jnp.maximum(2 * lengths - 1, 0)[:, None], axis=1)[:, 0]
    losses = -jnp.logaddexp(ends, jnp.where(lengths > 0, last, least))
    losses = jnp.where(input_lengths > 0, losses, jnp.where(lengths > 0, -least, 0.0))
    fit = losses < -least / 2
    losses = jnp.where(fit, losses, 0.0) if zero_infinity else losses * jnp.where(fit, 1.0, jnp.inf)
    spread = jnp.where(
        jnp.arange(len(log_probs))[:, None] < input_lengths, jnp.exp(jnp.minimum(log_probs, 1.0)).sum(2), 0.0
    )
    spread = jnp.where(fit, spread.sum(0), 0.0)  # PyTorch derives as if a log_softmax had made what is given
    losses = losses + (spread - jax.lax.stop_gradient(spread))
    if reduction == "none":
        return losses
    return losses.sum() if reduction == "sum" else (losses / jnp.maximum(lengths, 1).astype(losses.dtype)).mean()
