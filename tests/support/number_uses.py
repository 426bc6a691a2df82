"""What Python does with numbers that are read from tensors: classes, functions, and functions of tensors beside them."""

import math

import torch


# ---------------------------------------------------------------------- attributes, classes, functions
def an_attribute_of_tensors(x, g):
    return x * getattr(int(g), "ndim", 9)


def has_a_shape(x, g):
    return x * (2 if hasattr(int(g), "shape") else 3)


def a_class_behind_a_test(x, g):
    if x[0] > 0:
        n = int(g)
    else:
        n = 3
    return x * (2 if isinstance(n, int) else 3)


def an_item_is_whole(x, g):
    return x * (2 if g.item().is_integer() else 3)


def bits(x, g):
    return x * int(g).bit_length()


def truncated(x, g):
    return x * math.trunc(g.item() * 1.5)


def a_logarithm_to_a_base(x, g):
    return x * math.log(int(g) + 2, 3)


def the_class_of_a_comparison(x, g):
    return x * (2 if type(int(g) < 3) is bool else 3)


def the_class_of_a_power(x, g):
    return x * (2 if isinstance((int(g) + 1) ** (-1), float) else 3)


def is_true(x, g):
    n = x[0] > 0 if False else bool(g > 0)
    return x * (2 if n is True else 3)


def rounded_to_digits(x, g):
    return x * round(float(g) * 1.26, 1)


def rounded(x, g):
    return x * round(float(g) * 1.5)


def parts(x, g):
    return x * (int(g).real + int(g).numerator)


def floor_and_ceiling(x, g):
    return x * math.floor(float(g) + 0.5) + math.ceil(float(g) - 0.5)


def an_inverse(x, g):
    return x * (int(g) + 1) ** (-1)


def the_class_of_an_item(x, g):
    return x * (2 if isinstance(x.sum().item(), float) else 3)


def one_of_two_classes(x, g):
    return x * (2 if isinstance(float(g), (int, float)) else 3)


def a_common_divisor(x, g):
    return x * math.gcd(int(g), 4)


def an_item_is_no_tensor(x, g):
    return x * (2 if isinstance(g.item(), torch.Tensor) else 3)


def a_number_and_a_text(x, g):
    return x * (4 if int(g) == "2" else 5)


# ---------------------------------------------------------------------- beside tensors
def a_range(x, g):
    y = x
    for i in range(int(g)):
        y = y + i
    return y


def beside_tensors(x, g):
    return x * int(g) + float(x[0]) - g.item()


def a_loop_test(x, g):
    while x.sum().item() < 20:
        x = x + 1
    return x


def least_and_greatest(x, g):
    return x * min(int(g), 3) + max(int(g), 1)


def halved(x, g):
    n = int(g)
    c = 0
    while n > 0:
        n = n // 2
        c += 1
    return x * c


def roots_and_sines(x, g):
    return x * math.sqrt(float(g) + 2) + math.sin(g)


def in_functions_of_tensors(x, g):
    return torch.clamp(x, max=float(g)) + torch.full_like(x, float(g))


def a_tensor_of_a_number(x, g):
    t = torch.as_tensor(int(g))
    u = torch.asarray(t)
    t += 1
    return x * u + torch.as_tensor(data=g.item()).reshape(1)


def the_best(x, g):
    best = float("inf")
    for v in x:
        s = v.item()
        if s < best:
            best = s
    return x - best


def a_tensor_of_it(x, g):
    return torch.tensor(int(g)) + x


def an_index(x, g):
    return x[int(g) % 2] * 1


def numbers_returned(x, g):
    return (int(g) + 1, float(x[0]), bool(g > 1))


def a_mask(x, g):
    return torch.where(x > float(g), x, -x)


def the_class_of_a_quotient(x, g):
    return x * (2 if isinstance(int(g) / 2, float) else 3)


def the_class_of_a_whole_quotient(x, g):
    return x * (2 if isinstance(int(g) // 2, int) else 3)


def the_class_of_a_sum(x, g):
    return x * (2 if isinstance(bool(g > 0) + 0, bool) else 3)


def the_class_of_a_not(x, g):
    return x * (2 if isinstance(not g > 1, bool) else 3)


def the_class_of_a_negated_boolean(x, g):
    return x * (2 if type(-bool(g > 1)) is int else 3)


def its_conjugate(x, g):
    return x * float(g).conjugate() + float(g).imag


def one_class_or_another(x, g):
    n = 2 if x[0] > 0 else x.sum()
    return x * (1 if isinstance(n, int) else 3)


def the_class_of_the_least(x, g):
    return x * (1 if isinstance(min(int(g), 2), int) else 3)


def functions_of_two(x, g):
    return x * math.hypot(float(g), 3) + math.atan2(float(g), 1) + math.fabs(-float(g)) + math.pow(float(g), 2)


def halves_to_even(x, g):
    return x * round(int(g) + 0.5) + round(-float(g))


def tests_of_numbers(x, g):
    return x * math.isnan(float(g)) + math.isfinite(float(g))


def rounded_tensors(x, g):
    return x * math.floor(g) + math.ceil(x[0])


def signs_and_degrees(x, g):
    return x * math.copysign(2, float(g) - 1) + math.degrees(float(g)) + math.fmod(float(g), 2)


def a_total_of_items(x, g):
    s = 0.0
    for v in x:
        if v.item() > 0:
            s += v.item()
        else:
            s -= float(v)
    return x * s


def bisected(x, g):
    lo, hi = (0.0, float(g) + 1)
    while hi - lo > 0.001:
        mid = (lo + hi) / 2
        if mid * mid > 2:
            hi = mid
        else:
            lo = mid
    return x * lo


def tensors_of_numbers(x, g):
    return torch.tensor([float(g), int(g), 1.0]) + torch.tensor([int(g), 2]).sum()


def the_last_of_some(x, g):
    n = 0
    for v in x:
        if v > 0:
            n += 1
        elif n:
            n = int(v)
    return x * n


def a_list_of_items(x, g):
    acc = []
    for v in x:
        acc.append(v.item() * 2)
    return x * acc[0] + acc[1]


# ---------------------------------------------------------------------- beyond the width of compiled code's whole numbers
def a_sum_of_the_last_two(x, g):
    a, b = 0, int(g)
    for _ in range(60):
        a, b = b, a + b
    return x * (a % 7)


def multiplied_again_and_again(x, g):
    n, trips = int(g) + 2, 0
    while trips < 40:
        n = n * 3 + 1
        trips += 1
    return x * (n % 7)


def a_product_of_four(x, g):
    n, m = int(g) * 1000, int(x[1] * 1000)
    return x * (n * m * n * m % 7)


def a_remainder_each_time(x, g):
    n = int(g)
    for _ in range(40):
        n = (n * 31 + 7) % 101
    return x * n


CASES = [f for f in list(globals().values()) if getattr(f, "__module__", "") == __name__]
REFUSED = {one_class_or_another}
"""What no capture takes: Python's own hash, a key that may be new, an exception that a clause waits for."""
UNTOLD = {an_item_is_whole, the_class_of_an_item}
"""What is refused where no dtype is known."""
NOT_IN_JAX = {
    the_class_of_a_power,
    bits,
    a_sum_of_the_last_two,
    multiplied_again_and_again,
    a_product_of_four,
}
"""What arrays of 32 bits cannot do, nor code that is traced."""
