"""The functions of the Python array API standard 2024.12: signatures, and what kinds of dtypes they take.

Source: https://data-apis.org/array-api/2024.12/API_specification/index.html. A line is the signature as the standard has
it, then the kinds that its array arguments `x`, `x1`, `x2`, `arrays` may have: b bool, i and u signed and unsigned
integers, f and c real and complex floats. A function without a body of its own in `bodies` is the op of its name.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass

VERSION = "2024.12"
CONSTANTS = ("e", "inf", "nan", "newaxis", "pi")

_CREATION = """
arange(start, /, stop=None, step=1, *, dtype=None, device=None)
asarray(obj, /, *, dtype=None, device=None, copy=None)
empty(shape, *, dtype=None, device=None)
empty_like(x, /, *, dtype=None, device=None)                                    biufc
eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None)
from_dlpack(x, /, *, device=None, copy=None)
full(shape, fill_value, *, dtype=None, device=None)
full_like(x, /, fill_value, *, dtype=None, device=None)                         biufc
linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True)
meshgrid(*arrays, indexing="xy")                                                iufc
ones(shape, *, dtype=None, device=None)
ones_like(x, /, *, dtype=None, device=None)                                     biufc
tril(x, /, *, k=0)                                                              biufc
triu(x, /, *, k=0)                                                              biufc
zeros(shape, *, dtype=None, device=None)
zeros_like(x, /, *, dtype=None, device=None)                                    biufc
"""
_DTYPES = """
astype(x, dtype, /, *, copy=True, device=None)                                  biufc
can_cast(from_, to, /)
finfo(type, /)
iinfo(type, /)
isdtype(dtype, kind)
result_type(*arrays_and_dtypes)
"""
_ELEMENTWISE = """
abs(x, /)                                                                       iufc
acos(x, /)                                                                      fc
acosh(x, /)                                                                     fc
add(x1, x2, /)                                                                  iufc
asin(x, /)                                                                      fc
asinh(x, /)                                                                     fc
atan(x, /)                                                                      fc
atan2(x1, x2, /)                                                                f
atanh(x, /)                                                                     fc
bitwise_and(x1, x2, /)                                                          biu
bitwise_invert(x, /)                                                            biu
bitwise_left_shift(x1, x2, /)                                                   iu
bitwise_or(x1, x2, /)                                                           biu
bitwise_right_shift(x1, x2, /)                                                  iu
bitwise_xor(x1, x2, /)                                                          biu
ceil(x, /)                                                                      iuf
clip(x, /, min=None, max=None)                                                  iuf
conj(x, /)                                                                      iufc
copysign(x1, x2, /)                                                             f
cos(x, /)                                                                       fc
cosh(x, /)                                                                      fc
divide(x1, x2, /)                                                               fc
equal(x1, x2, /)                                                                biufc
exp(x, /)                                                                       fc
expm1(x, /)                                                                     fc
floor(x, /)                                                                     iuf
floor_divide(x1, x2, /)                                                         iuf
greater(x1, x2, /)                                                              iuf
greater_equal(x1, x2, /)                                                        iuf
hypot(x1, x2, /)                                                                f
imag(x, /)                                                                      c
isfinite(x, /)                                                                  iufc
isinf(x, /)                                                                     iufc
isnan(x, /)                                                                     iufc
less(x1, x2, /)                                                                 iuf
less_equal(x1, x2, /)                                                           iuf
log(x, /)                                                                       fc
log10(x, /)                                                                     fc
log1p(x, /)                                                                     fc
log2(x, /)                                                                      fc
logaddexp(x1, x2, /)                                                            f
logical_and(x1, x2, /)                                                          b
logical_not(x, /)                                                               b
logical_or(x1, x2, /)                                                           b
logical_xor(x1, x2, /)                                                          b
maximum(x1, x2, /)                                                              iuf
minimum(x1, x2, /)                                                              iuf
multiply(x1, x2, /)                                                             iufc
negative(x, /)                                                                  iufc
nextafter(x1, x2, /)                                                            f
not_equal(x1, x2, /)                                                            biufc
positive(x, /)                                                                  iufc
pow(x1, x2, /)                                                                  iufc
real(x, /)                                                                      iufc
reciprocal(x, /)                                                                fc
remainder(x1, x2, /)                                                            iuf
round(x, /)                                                                     iufc
sign(x, /)                                                                      iufc
signbit(x, /)                                                                   f
sin(x, /)                                                                       fc
sinh(x, /)                                                                      fc
sqrt(x, /)                                                                      fc
square(x, /)                                                                    iufc
subtract(x1, x2, /)                                                             iufc
tan(x, /)                                                                       fc
tanh(x, /)                                                                      fc
trunc(x, /)                                                                     iuf
"""
_ARRANGING = """
broadcast_arrays(*arrays)                                                       biufc
broadcast_to(x, /, shape)                                                       biufc
concat(arrays, /, *, axis=0)                                                    biufc
expand_dims(x, /, *, axis=0)                                                    biufc
flip(x, /, *, axis=None)                                                        biufc
moveaxis(x, source, destination, /)                                             biufc
permute_dims(x, /, axes)                                                        biufc
repeat(x, repeats, /, *, axis=None)                                             biufc
reshape(x, /, shape, *, copy=None)                                              biufc
roll(x, /, shift, *, axis=None)                                                 biufc
squeeze(x, /, axis)                                                             biufc
stack(arrays, /, *, axis=0)                                                     biufc
tile(x, repetitions, /)                                                         biufc
unstack(x, /, *, axis=0)                                                        biufc
"""
_SEARCHING = """
argmax(x, /, *, axis=None, keepdims=False)                                      iuf
argmin(x, /, *, axis=None, keepdims=False)                                      iuf
argsort(x, /, *, axis=-1, descending=False, stable=True)                        iuf
count_nonzero(x, /, *, axis=None, keepdims=False)                               biufc
nonzero(x, /)                                                                   biufc
searchsorted(x1, x2, /, *, side="left", sorter=None)                            iuf
sort(x, /, *, axis=-1, descending=False, stable=True)                           iuf
take(x, indices, /, *, axis=None)                                               biufc
take_along_axis(x, indices, /, *, axis=-1)                                      biufc
unique_all(x, /)                                                                biufc
unique_counts(x, /)                                                             biufc
unique_inverse(x, /)                                                            biufc
unique_values(x, /)                                                             biufc
where(condition, x1, x2, /)                                                     biufc
"""
_STATISTICS = """
all(x, /, *, axis=None, keepdims=False)                                         biufc
any(x, /, *, axis=None, keepdims=False)                                         biufc
cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False)          iufc
cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False)           iufc
diff(x, /, *, axis=-1, n=1, prepend=None, append=None)                          iufc
max(x, /, *, axis=None, keepdims=False)                                         iuf
mean(x, /, *, axis=None, keepdims=False)                                        fc
min(x, /, *, axis=None, keepdims=False)                                         iuf
prod(x, /, *, axis=None, dtype=None, keepdims=False)                            iufc
std(x, /, *, axis=None, correction=0.0, keepdims=False)                         f
sum(x, /, *, axis=None, dtype=None, keepdims=False)                             iufc
var(x, /, *, axis=None, correction=0.0, keepdims=False)                         f
"""
_PRODUCTS = """
matmul(x1, x2, /)                                                               iufc
matrix_transpose(x, /)                                                          biufc
tensordot(x1, x2, /, *, axes=2)                                                 iufc
vecdot(x1, x2, /, *, axis=-1)                                                   iufc
"""
_LINALG = """
cholesky(x, /, *, upper=False)                                                  fc
cross(x1, x2, /, *, axis=-1)                                                    iufc
det(x, /)                                                                       fc
diagonal(x, /, *, offset=0)                                                     biufc
eigh(x, /)                                                                      fc
eigvalsh(x, /)                                                                  fc
inv(x, /)                                                                       fc
matrix_norm(x, /, *, keepdims=False, ord="fro")                                 fc
matrix_power(x, n, /)                                                           fc
matrix_rank(x, /, *, rtol=None)                                                 fc
outer(x1, x2, /)                                                                iufc
pinv(x, /, *, rtol=None)                                                        fc
qr(x, /, *, mode="reduced")                                                     fc
slogdet(x, /)                                                                   fc
solve(x1, x2, /)                                                                fc
svd(x, /, *, full_matrices=True)                                                fc
svdvals(x, /)                                                                   fc
trace(x, /, *, offset=0, dtype=None)                                            iufc
vector_norm(x, /, *, axis=None, keepdims=False, ord=2)                          fc
"""
_FFT = """
fft(x, /, *, n=None, axis=-1, norm="backward")                                  fc
fftfreq(n, /, *, d=1.0, dtype=None, device=None)
fftn(x, /, *, s=None, axes=None, norm="backward")                               fc
fftshift(x, /, *, axes=None)                                                    fc
hfft(x, /, *, n=None, axis=-1, norm="backward")                                 fc
ifft(x, /, *, n=None, axis=-1, norm="backward")                                 fc
ifftn(x, /, *, s=None, axes=None, norm="backward")                              fc
ifftshift(x, /, *, axes=None)                                                   fc
ihfft(x, /, *, n=None, axis=-1, norm="backward")                                f
irfft(x, /, *, n=None, axis=-1, norm="backward")                                fc
irfftn(x, /, *, s=None, axes=None, norm="backward")                             fc
rfft(x, /, *, n=None, axis=-1, norm="backward")                                 f
rfftfreq(n, /, *, d=1.0, dtype=None, device=None)
rfftn(x, /, *, s=None, axes=None, norm="backward")                              f
"""


@dataclass(frozen=True)
class Function:
    """A function of the standard: its name, its signature, and the kinds of dtypes that its arrays may have."""

    name: str
    signature: inspect.Signature
    kinds: str
    page: str

    @property
    def elementwise(self) -> bool:
        """Whether it takes arrays element by element, and beside an array also a Python number."""
        return self.page == "elementwise_functions"


def _functions(text: str, page: str) -> dict[str, Function]:
    found = {}
    for line in filter(None, text.splitlines()):
        written, _, kinds = line.rpartition(")")
        name, _, parameters = written.partition("(")
        found[name] = Function(name, inspect.signature(eval(f"lambda {parameters}: None")), kinds.strip(), page)
    return found


_PAGES = (
    (_CREATION, "creation_functions"), (_DTYPES, "data_type_functions"), (_ELEMENTWISE, "elementwise_functions"),
    (_ARRANGING, "manipulation_functions"), (_SEARCHING, "searching_functions"),
    (_STATISTICS, "statistical_functions"), (_PRODUCTS, "linear_algebra_functions"),
)  # fmt: skip
MAIN = {name: fn for text, page in _PAGES for name, fn in _functions(text, page).items()}
LINALG = _functions(_LINALG + _PRODUCTS, "linear_algebra_functions")
FFT = _functions(_FFT, "fourier_transform_functions")
