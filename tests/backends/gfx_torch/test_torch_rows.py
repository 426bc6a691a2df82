"""What PyTorch calls become: recorded, run on the reference and with the calls that the rows print, against PyTorch."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch.nn import functional as F

import gfx_trace as gfx
from gfx_ir.errors import GfxError
from torch_probe import call, compare, record, results, run

torch.manual_seed(0)
ATEN = torch.ops.aten
X, Y, SQUARE, ROW = torch.randn(3, 4), torch.rand(3, 4) + 0.5, torch.randn(4, 4), torch.randn(4)
CUBE, IMAGE, UNIT = torch.randn(2, 3, 4), torch.randn(2, 4, 6, 6), torch.rand(3, 4)
I, J, BITS = torch.randint(1, 9, (3, 4)), torch.randint(1, 5, (3, 4)), torch.randn(3, 4) > 0
POSITIONS = torch.tensor([[0, 2, 1, 0]])
LABELS = torch.tensor([1, 0, 3])

CASES = {
    "x": (
        lambda x: torch.sin(x), lambda x: x.cos(), lambda x: x.exp().log1p(), lambda x: torch.abs(input=x),
        lambda x: -x,
        lambda x: x.sigmoid(), lambda x: torch.erf(x), lambda x: x.square().sqrt(),
        lambda x: torch.rsqrt(x.abs() + 1),
        lambda x: x.floor() + x.ceil() + x.round() + x.trunc(), lambda x: torch.round(x, decimals=1),
        lambda x: torch.sign(x),
        lambda x: 2 - x, lambda x: 2 / (x + 9), lambda x: 2 ** x, lambda x: x ** 2, lambda x: x // 0.5,
        lambda x: x % 0.7, lambda x: x - 1 > 0,
        lambda x: torch.add(x, x, alpha=2), lambda x: x.sub(1, alpha=3),
        lambda x: torch.div(x, 0.3, rounding_mode="floor"),
        lambda x: torch.div(x, 0.3, rounding_mode="trunc"), lambda x: torch.clamp(x, min=0.1),
        lambda x: x.clamp(-0.5, 0.5),
        lambda x: x.clamp_min(0).clamp_max(1), lambda x: torch.clip(x, max=0.2),
        lambda x: x.flip(dims=(0,)), lambda x: x.repeat(repeats=(2, 1)), lambda x: x.tile(dims=(2,)),
        lambda x: x.sum_to_size(size=(1, 4)),
        lambda x: torch.where(x > 0, x, 0.0), lambda x: x.where(x > 0, -1.0),
        lambda x: x.to(torch.float64), lambda x: x.double(), lambda x: x.long(), lambda x: x.to("cpu", torch.int32),
        lambda x: x.type(torch.float16), lambda x: x.long().type(x.type()), lambda x: x.type("torch.LongTensor"),
        lambda x: x.type(torch.DoubleTensor),
        lambda x: x.bool(), lambda x: x.detach(), lambda x: x.clone(), lambda x: x.contiguous(),
        lambda x: x.to(dtype=torch.float32),
        lambda x: x.sum(), lambda x: torch.sum(x, 1), lambda x: x.sum(dim=(0, 1), keepdim=True),
        lambda x: x.sum(axis=0, keepdims=True),
        lambda x: x.sum(-1, dtype=torch.float64), lambda x: x.mean(), lambda x: x.mean([0, 1]),
        lambda x: torch.mean(x, -1, True),
        lambda x: x.prod(1), lambda x: torch.prod(x), lambda x: x.max(), lambda x: x.max(1),
        lambda x: x.max(1, keepdim=True).values,
        lambda x: torch.min(x, dim=0).indices, lambda x: torch.max(x, x * 2), lambda x: x.amax(1),
        lambda x: torch.amin(x, (0, 1)),
        lambda x: x.aminmax(dim=1), lambda x: x.argmax(), lambda x: x.argmin(1),
        lambda x: torch.argmax(x, dim=1, keepdim=True),
        lambda x: torch.var(x, 1), lambda x: x.var(), lambda x: x.var(0, unbiased=False),
        lambda x: x.std(1, keepdim=True),
        lambda x: torch.std(x, dim=1, correction=0), lambda x: torch.var(x, False), lambda x: torch.var_mean(x, 1),
        lambda x: torch.std_mean(x, dim=0),
        lambda x: (x > 0).any(), lambda x: (x > 0).all(1), lambda x: torch.any(x > 0, dim=0, keepdim=True),
        lambda x: torch.count_nonzero(x > 0),
        lambda x: x.cumsum(1), lambda x: torch.cumprod(x, dim=0), lambda x: torch.logsumexp(x, 1),
        lambda x: x.norm(), lambda x: torch.norm(x, p=1, dim=1), lambda x: torch.linalg.norm(x, dim=1),
        lambda x: torch.norm_except_dim(x, 2, 0), lambda x: torch.norm_except_dim(x, 1, 1),
        lambda x: torch.norm_except_dim(x, 2, -2), lambda x: torch.norm_except_dim(x, 3, -1),
        lambda x: torch._weight_norm(x, x[:, :1], 0), lambda x: torch._weight_norm(x, x[0, 0], -1),
        lambda x: torch.linalg.vector_norm(x, 3, dim=-1),
        lambda x: torch.linalg.norm(x), lambda x: torch.linalg.matrix_norm(x), lambda x: x.sort(),
        lambda x: torch.sort(x, 0, descending=True).values,
        lambda x: x.argsort(dim=1, descending=True), lambda x: x.topk(2),
        lambda x: torch.topk(x, 2, dim=0, largest=False).indices,
        lambda x: x.reshape(2, 6), lambda x: x.view(-1), lambda x: x.view((4, 3)),
        lambda x: torch.reshape(x, (6, -1)), lambda x: x.flatten(),
        lambda x: x.t(), lambda x: x.T, lambda x: x.mT, lambda x: x.transpose(0, 1), lambda x: x.permute(1, 0),
        lambda x: torch.permute(x, (1, 0)),
        lambda x: x.swapaxes(0, -1), lambda x: torch.movedim(x, 0, 1), lambda x: x.unsqueeze(1),
        lambda x: x[None].squeeze(0), lambda x: x.unsqueeze(0).squeeze(),
        lambda x: x.squeeze(0), lambda x: x.unsqueeze(0).expand(5, -1, -1), lambda x: x[:1].expand_as(x),
        lambda x: x[:1].broadcast_to((3, 4)),
        lambda x: torch.cat([x, x], dim=-1), lambda x: torch.stack((x, x), 1), lambda x: x.split(2, 1),
        lambda x: x.split([1, 3], dim=1), lambda x: torch.split(x, 2),
        lambda x: x.chunk(2, -1), lambda x: torch.chunk(x, 2), lambda x: x.unbind(1)[2],
        lambda x: torch.tensor_split(x, 2), lambda x: x.tensor_split((1, 3), dim=1),
        lambda x: x.flip(0), lambda x: torch.flip(x, (0, 1)), lambda x: x.fliplr(), lambda x: x.roll(1, 0),
        lambda x: torch.roll(x, (1, 2), (0, 1)),
        lambda x: x.repeat(2, 1), lambda x: x.tile((2,)), lambda x: x.repeat_interleave(2, dim=1),
        lambda x: torch.repeat_interleave(x, 2),
        lambda x: x.unflatten(1, (2, 2)), lambda x: x.unflatten(-1, (2, -1)), lambda x: F.pad(x, (1, 2)),
        lambda x: F.pad(x, (1, 0, 0, 1), value=3.0),
        lambda x: F.pad(x[None], (1, 2), mode="reflect"), lambda x: F.pad(x[None], (1, 2), mode="replicate"),
        lambda x: F.pad(x[None], (1, 2), mode="circular"),
        lambda x: x.size(1), lambda x: x.size(), lambda x: x.shape, lambda x: (x.dim(), x.ndim, x.numel()),
        lambda x: x.is_floating_point(),
        lambda x: x[1], lambda x: x[:, 1:3], lambda x: x[..., -1], lambda x: x[[0, 2]], lambda x: x[1, [0, 2]],
        lambda x: x[None, :, 0], lambda x: x[::2],
        lambda x: x.select(1, 2), lambda x: torch.narrow(x, 1, 1, 2), lambda x: x.diagonal(), lambda x: x.tril(),
        lambda x: torch.triu(x, diagonal=1),
        lambda x: x.diag(), lambda x: x.masked_fill(x > 0, -1), lambda x: x.masked_fill(x > 0, float("-inf")),
        lambda x: x.rot90(), lambda x: x.unfold(1, 2, 1),
        lambda x: x.diff(), lambda x: torch.outer(x[0], x[1]), lambda x: x[0].dot(x[1]), lambda x: x @ x.T,
        lambda x: torch.einsum("ij,kj->ik", x, x),
        lambda x: torch.linalg.multi_dot([x, x.T, x]), lambda x: torch.inner(x, x),
        lambda x: torch.tensordot(x, x, dims=([0], [0])), lambda x: torch.cdist(x, x),
        lambda x: torch.zeros_like(x), lambda x: torch.ones_like(x, dtype=torch.int32),
        lambda x: torch.full_like(x, 3), lambda x: x.new_zeros(2, 3),
        lambda x: x.new_ones((2,)), lambda x: x.new_full((2,), 7), lambda x: x.new_tensor([1, 2]),
        lambda x: x.sum().item(), lambda x: x[:1, :1].item(),
        lambda x: torch.tensor([1.0, 2.0]) + x[:, :2],
        lambda x: x.masked_fill(x > 0, call(torch.finfo, x.dtype).min), lambda x: torch.nan_to_num(x / (x > 0)),
        lambda x: x.softmax(-1), lambda x: torch.softmax(x, dim=0), lambda x: F.softmax(x, 1, dtype=torch.float64),
        lambda x: F.log_softmax(x, dim=-1),
        lambda x: F.softmax(x), lambda x: F.relu(x), lambda x: F.relu(x, inplace=True), lambda x: torch.relu(x),
        lambda x: F.gelu(x), lambda x: F.gelu(x, approximate="tanh"),
        lambda x: F.silu(x), lambda x: F.leaky_relu(x, 0.2), lambda x: F.elu(x), lambda x: F.selu(x),
        lambda x: F.celu(x, 2.0), lambda x: F.softplus(x, beta=2),
        lambda x: F.hardtanh(x), lambda x: F.relu6(x * 9), lambda x: F.hardswish(x * 4),
        lambda x: F.hardsigmoid(x * 4), lambda x: F.mish(x), lambda x: F.glu(x),
        lambda x: F.logsigmoid(x), lambda x: F.softsign(x), lambda x: F.tanhshrink(x), lambda x: F.softshrink(x),
        lambda x: F.hardshrink(x), lambda x: F.threshold(x, 0.1, 9),
        lambda x: F.normalize(x), lambda x: F.normalize(x, p=1, dim=0), lambda x: F.layer_norm(x, (4,)),
        lambda x: F.rms_norm(x, (4,)), lambda x: F.dropout(x, 0.5, training=False),
        lambda x: x.frac(), lambda x: x.deg2rad(), lambda x: torch.sinc(x), lambda x: torch.heaviside(x, x * 0),
        lambda x: x.logit(eps=0.1), lambda x: torch.fft.rfft(x).abs(),
        lambda x: torch.fft.fft(x).real, lambda x: x.addcmul(x, x, value=2), lambda x: x.lerp(x * 2, 0.3),
        lambda x: torch.hstack((x, x)), lambda x: torch.vstack((x, x)),
        lambda x: x.add_(1), lambda x: x.mul_(2).relu_(), lambda x: x.zero_(), lambda x: x.fill_(2.5),
        lambda x: x.clamp_(0, 1), lambda x: x.copy_(x[:1] * 2), lambda x: x.copy_(x.double()),
        lambda x: torch.relu_(x), lambda x: x.masked_fill_(x > 0, 0), lambda x: x.fill_diagonal_(2.5),
        lambda x: x.new_zeros(3, 3, 3).fill_diagonal_(x[0, 0]),
        lambda x: x.index_fill(1, torch.tensor([0, 2]), 5.0), lambda x: x.flatten().unfold(0, 3, 2),
        lambda x: torch.square(x).sum(0).sqrt().unsqueeze(-1), lambda x: x.float().half().to(x),
        lambda x: x.view_as(x), lambda x: x.ravel(), lambda x: x.isnan() | x.isinf(),
    ),
    "x, y": (
        lambda x, y: x + y, lambda x, y: x.maximum(y), lambda x, y: torch.atan2(x, y), lambda x, y: torch.fmod(x, y),
        lambda x, y: torch.remainder(x, y), lambda x, y: torch.pow(y, x),
        lambda x, y: torch.hypot(x, y), lambda x, y: torch.logaddexp(x, y), lambda x, y: torch.isclose(x, y),
        lambda x, y: torch.allclose(x, x), lambda x, y: torch.equal(x, y),
        lambda x, y: (x < y) & (x > 0) | ~(x == y), lambda x, y: torch.logical_and(x > 0, y > 1),
        lambda x, y: torch.fmax(x, y), lambda x, y: torch.xlogy(x, y),
        lambda x, y: torch.where(x > y, x, y), lambda x, y: x.clamp(min=y), lambda x, y: x.eq(y),
        lambda x, y: torch.ne(x, y), lambda x, y: torch.ge(x, y), lambda x, y: x.copysign(y),
        lambda x, y: x.mm(y.t()), lambda x, y: torch.matmul(x, y.T),
        lambda x, y: torch.addmm(x @ y.T, x, y.T, beta=0.5, alpha=2), lambda x, y: F.linear(x, y),
        lambda x, y: torch.linalg.vecdot(x, y),
        lambda x, y: F.mse_loss(x, y), lambda x, y: F.l1_loss(x, y, reduction="sum"),
        lambda x, y: F.smooth_l1_loss(x, y), lambda x, y: F.huber_loss(x, y, delta=0.5),
        lambda x, y: F.kl_div(x, y, reduction="batchmean"),
        lambda x, y: F.binary_cross_entropy_with_logits(x, y, reduction="none"),
        lambda x, y: F.cosine_similarity(x, y),
        lambda x, y: ATEN._softmax_backward_data(y, x.softmax(1), 1, torch.float32),
        lambda x, y: ATEN._log_softmax_backward_data(y, x.log_softmax(1), 1, torch.float32),
        lambda x, y: ATEN.native_dropout_backward(x, y > 1, 2.0), lambda x, y: ATEN._chunk_cat([x, y], 0, 2),
        lambda x, y: ATEN._unsafe_masked_index(x, y > 1, [torch.arange(3)[:, None], torch.arange(1, 5)], 7.0),
        lambda x, y: ATEN._unsafe_masked_index_put_accumulate(x, y > 1, [torch.arange(3)[:, None], torch.arange(4)], y),
        lambda x, y: F.binary_cross_entropy_with_logits(x, y, pos_weight=y[0]),
        lambda x, y: F.pairwise_distance(x, y), lambda x, y: torch.cross(x[:, :3], y[:, :3], dim=1),
        lambda x, y: x.add_(y), lambda x, y: x.mul_(y.double()), lambda x, y: x.copy_(y),
        lambda x, y: torch.meshgrid(x[0], y[0], indexing="ij"),
        lambda x, y: torch.scatter_add(x, 0, (y > 9).long(), y),
        lambda x, y: x.index_add(0, torch.tensor([0, 0]), y[:2], alpha=2),
        lambda x, y: x.index_copy(1, torch.tensor([0, 2]), y[:, :2]), lambda x, y: x.select_scatter(y[0], 0, 1),
        lambda x, y: x.slice_scatter(y[:2], 0, 1, 3),
        lambda x, y: x.index_put((torch.tensor([0, 0]),), y[:2], accumulate=True),
        lambda x, y: torch.searchsorted(x[0].sort().values, y),
        lambda x, y: torch.bucketize(y, x[0].sort().values, right=True), lambda x, y: F.prelu(x, y[0]),
        lambda x, y: F.prelu(x, y[0, :1]), lambda x, y: x.type_as(y.double()),
        lambda x, y: torch.concat((x, y)), lambda x, y: torch.broadcast_tensors(x, y[0]),
        lambda x, y: torch.addcdiv(x, x, y, value=2), lambda x, y: torch.ger(x[0], y[0]),
    ),
    "i, j": (
        lambda i, j: i + j, lambda i, j: i // j, lambda i, j: i % j, lambda i, j: i / j, lambda i, j: -i // j,
        lambda i, j: torch.div(-i, j, rounding_mode="trunc"), lambda i, j: i << j,
        lambda i, j: (i & j) | (i ^ 3), lambda i, j: i.sum(), lambda i, j: i.float().mean(), lambda i, j: i.pow(2),
        lambda i, j: i.max(1), lambda i, j: i.cumsum(0), lambda i, j: F.one_hot(i, 9),
        lambda i, j: i.sqrt(), lambda i, j: i.prod(1), lambda i, j: i + 1.5, lambda i, j: i.true_divide(2),
        lambda i, j: torch.maximum(i, j), lambda i, j: i.mul_(2), lambda i, j: i.clamp(max=4),
        lambda i, j: i > 3, lambda i, j: i.bitwise_not(), lambda i, j: ~i, lambda i, j: i.exp(),
        lambda i, j: i.to(torch.uint8), lambda i, j: i.softmax(1, torch.float32), lambda i, j: i == 4,
    ),
    "b": (
        lambda b: ~b, lambda b: b.sum(), lambda b: b.all(), lambda b: b.long().cumsum(1), lambda b: b.float().mean(),
        lambda b: b.any(1), lambda b: torch.where(b, 1.0, 2.0), lambda b: b.logical_not(),
    ),
    "x, p": (
        lambda x, p: torch.gather(x, 0, p), lambda x, p: x.gather(0, p), lambda x, p: x.scatter(0, p, 5.0),
        lambda x, p: x.scatter_(0, p, x[1:2] * 2), lambda x, p: x.take_along_dim(p, dim=0),
        lambda x, p: x.index_select(0, p[0]), lambda x, p: torch.take(x, p), lambda x, p: x[p],
        lambda x, p: x[:, p[0]], lambda x, p: F.embedding(p, x), lambda x, p: x[p[0], p[0]],
        lambda x, p: x.unsqueeze(1)[0, :, p[0]], lambda x, p: x.scatter_add(0, p, x),
        lambda x, p: torch.scatter(x, 0, p, x, reduce="add"), lambda x, p: torch.index_select(x, dim=1, index=p[0]),
    ),
    "x, t": (
        lambda x, t: F.cross_entropy(x, t), lambda x, t: F.cross_entropy(x, t, label_smoothing=0.1),
        lambda x, t: F.cross_entropy(x, t, ignore_index=0, reduction="sum"),
        lambda x, t: F.nll_loss(x.log_softmax(1), t), lambda x, t: F.cross_entropy(x, t, weight=x[0].abs()),
        lambda x, t: F.one_hot(t, num_classes=5),
    ),
    "c": (
        lambda c: c.flatten(1), lambda c: c.flatten(0, 1), lambda c: torch.flatten(c, start_dim=1),
        lambda c: c.permute(2, 0, 1), lambda c: c.transpose(1, 2), lambda c: c.movedim(0, -1),
        lambda c: c.mean((0, 2)),
        lambda c: torch.bmm(c, c.mT), lambda c: c @ c.transpose(-2, -1),
        lambda c: torch.baddbmm(c @ c.mT, c, c.mT, beta=0.5), lambda c: c.norm(dim=(0, 1)),
        lambda c: c.std((0, 2), unbiased=False), lambda c: c.T,
        lambda c: F.group_norm(c, 3), lambda c: F.instance_norm(c), lambda c: F.max_pool1d(c, 2),
        lambda c: F.avg_pool1d(c, 2), lambda c: F.adaptive_avg_pool1d(c, 2), lambda c: c.swapdims(0, 2),
        lambda c: c[:, -1],
        lambda c: F.scaled_dot_product_attention(c, c, c),
        lambda c: F.scaled_dot_product_attention(c, c, c, is_causal=True, scale=0.3), lambda c: c.prod(-1),
        lambda c: ATEN.max_pool2d_with_indices_backward(
            c[:, ::2, ::2], c, 1, 2, 0, 1, False, F.max_pool2d(c, 1, 2, return_indices=True)[1]
        ),
        lambda c: torch.native_layer_norm(c, (4,), None, None, 1e-5),
        lambda c: torch.native_group_norm(c, None, None, 2, 3, 4, 3, 1e-5),
        lambda c: ATEN._native_batch_norm_legit(c, None, None, True, 0.1, 1e-5),
        lambda c: torch.segment_reduce(c, "max", offsets=torch.tensor([0, 0, 2])),
        lambda c: c.var((0, 1)), lambda c: c.view(2, 3, 2, -1),
        lambda c: F.scaled_dot_product_attention(c, c, c, attn_mask=torch.tensor([[True, False, True]])),
        lambda c: torch.einsum("bij,bkj->bik", c, c), lambda c: F.softmax(c), lambda c: c.prod(1),
    ),
    "m": (
        lambda m: F.max_pool2d(m, 2), lambda m: F.max_pool2d(m, 3, stride=2, padding=1),
        lambda m: F.avg_pool2d(m, 2, stride=1, count_include_pad=False), lambda m: F.adaptive_avg_pool2d(m, (1, 1)),
        lambda m: F.max_pool2d(m[0], 2),
        lambda m: F.adaptive_avg_pool2d(m, 3), lambda m: F.adaptive_max_pool2d(m, 2),
        lambda m: F.conv2d(m, m[:, :, :3, :3], padding=1),
        lambda m: F.conv2d(m, m[:, :2, :3, :3], stride=(2, 1), groups=2, dilation=1),
        lambda m: F.batch_norm(m, m[0, :, 0, 0], m[0, :, 0, 0].square(), m[0, :, 1, 1], m[0, :, 2, 2]),
        lambda m: F.batch_norm(m, None, None, training=True), lambda m: F.pixel_shuffle(m, 2),
        lambda m: F.conv1d(m[0], m[0, :, :, :3]),
        lambda m: F.pad(m, (1, 1, 2, 0), mode="reflect"), lambda m: F.instance_norm(m, weight=m[0, :, 0, 0]),
        lambda m: m.mean(dim=(2, 3)), lambda m: F.dropout2d(m, 0.5, False), lambda m: m.flatten(2).transpose(1, 2),
    ),
    "s": (
        lambda s: torch.linalg.inv(s), lambda s: torch.linalg.det(s), lambda s: torch.linalg.solve(s, s[:, :2]),
        lambda s: torch.linalg.cholesky(s @ s.T + torch.eye(4)), lambda s: s.trace(),
        lambda s: torch.matrix_power(s, 3),
        lambda s: s.inverse(), lambda s: s.slogdet(), lambda s: torch.linalg.matrix_norm(s, ord=1),
        lambda s: s.diag_embed(), lambda s: s.mv(s[0]), lambda s: torch.addmv(s[0], s, s[1]),
        lambda s: torch.linalg.norm(s, ord="fro", dim=(0, 1)),
    ),
}  # fmt: skip
TENSORS = {"x": X, "y": Y, "i": I, "j": J, "b": BITS, "p": POSITIONS, "t": LABELS, "c": CUBE, "m": IMAGE, "s": SQUARE}
ALL = [(fn, names) for names, fns in CASES.items() for fn in fns]


def source(case):
    code = case[0].__code__
    return f"{case[1]}-{'.'.join(code.co_names)}-{','.join(map(str, code.co_consts[1:]))}"[:60]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", ALL, ids=source)
def test_a_lift_means_what_torch_means(case):
    fn, names = case
    given = [TENSORS[name] for name in names.split(", ")]
    expected = results(fn(*(x.clone() for x in given)))
    graph = record(fn, given, typed=True)
    compare(results(run(graph, given, on_torch=False)), expected, dtypes=True)
    compare(results(run(graph, given, on_torch=True)), expected, dtypes=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", ALL, ids=source)
def test_a_lift_without_shapes_means_the_same_or_says_what_it_needs(case):
    fn, names = case
    given = [TENSORS[name] for name in names.split(", ")]
    try:
        graph = record(fn, given, typed=False)
    except GfxError as error:
        assert error.hint
        return
    expected = results(fn(*(x.clone() for x in given)))
    one_dtype = "double" not in fn.__code__.co_names and all(x.is_floating_point() for x in given)
    compare(results(run(graph, given, on_torch=True)), expected, dtypes=one_dtype)


def _behind_none(x: torch.Tensor):
    return torch.cat([torch.tensor([]), x], dim=-1)


def _behind_none_of_its_dtype(x: torch.Tensor):
    return torch.cat([x.new_empty(0), torch.tensor([], dtype=x.dtype), x], dim=-2)


@pytest.mark.parametrize("shape", [(2, 3), (2, 0)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.bool])
def test_an_empty_vector_among_matrices_gives_its_dtype_alone(dtype, shape):
    x = torch.ones(shape, dtype=dtype)
    for program in (
        gfx.symbolic_trace(_behind_none, x),
        gfx.symbolic_trace(_behind_none, gfx.TensorSpec((None, None), str(dtype)[6:])),
    ):
        torch.testing.assert_close(program(x), _behind_none(x))
    for given in ((), (x,)):
        program = gfx.symbolic_trace(_behind_none_of_its_dtype, *given)
        torch.testing.assert_close(program(x), _behind_none_of_its_dtype(x))
        found = gfx.transpile(_behind_none_of_its_dtype, *given, to="jax")(jnp.asarray(x.numpy()))
        assert found.shape == tuple(shape)


@pytest.mark.parametrize("ends", [[2, 2, 5], [0, 0, 5], [1, 4, 5]])
def test_rows_are_multiplied_group_by_group(ends):
    def grouped(x, w, offs):
        return F.grouped_mm(x, w, offs=offs)

    x, w, offs = torch.randn(5, 8), torch.randn(3, 8, 4), torch.tensor(ends, dtype=torch.int32)
    wanted = torch.cat([x[a:b] @ w[at] for at, (a, b) in enumerate(zip([0, *ends], ends))])
    for given in ((), (x, w, offs)):
        program = gfx.symbolic_trace(grouped, *given, backend="torch")
        torch.testing.assert_close(program(x, w, offs), wanted)
    with pytest.raises(GfxError, match=r"F\.grouped_mm"):
        gfx.symbolic_trace(lambda a, b: F.grouped_mm(a, b, offs=offs), x, x.T)


def test_lerp_begins_at_the_end_that_is_nearer():
    a = torch.tensor([0.0, 1.0, float("inf"), -float("inf"), float("nan"), 3e38])
    x, y = torch.meshgrid(a, a, indexing="ij")
    for weight in (0.5, 1.0, 0.1, -2.0, torch.tensor(0.75), torch.rand(6, 6)):
        program = gfx.symbolic_trace(lambda x, y, weight: torch.lerp(x, y, weight), x, y, weight)
        for target in ("torch", "jax", "numpy"):
            given = [v.numpy() if target != "torch" and isinstance(v, torch.Tensor) else v for v in (x, y, weight)]
            np.testing.assert_allclose(
                np.asarray(program.to(target)(*given)), torch.lerp(x, y, weight).numpy(), rtol=1e-6
            )


def test_positions_in_bytes_are_counted_in_64_bits():
    x = torch.tensor([5, 200, 7], dtype=torch.uint8)
    program = gfx.symbolic_trace(lambda x: torch.unravel_index(x, (3, 300)), x)
    for got in (program(x), program.to("jax")(np.asarray(x))):
        assert [np.asarray(part).tolist() for part in got] == [[0, 0, 0], [5, 200, 7]]


def _written(c, p):
    c = c.clone()
    c[0, :, p[0]] = c[1, :, :1]
    c[:, 0, ..., None, p[0, :2]] *= 3.0
    c[p[0, 2:], :, -1] = 7.0
    return c


@pytest.mark.parametrize("to", ["torch", "jax"])
def test_integers_and_index_tensors_apart_are_written(to):
    program = gfx.symbolic_trace(_written, CUBE, POSITIONS).to(to)
    given = [x if to == "torch" else jnp.asarray(x.numpy()) for x in (CUBE, POSITIONS)]
    np.testing.assert_array_equal(np.asarray(program(*given)), _written(CUBE, POSITIONS).numpy())
