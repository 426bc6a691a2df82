"""What Python does with numbers that are read from tensors: exceptions, text, classes, and functions of tensors beside them."""

import math

import torch


# ---------------------------------------------------------------------- exceptions
def a_division_caught(x, g):
    try:
        r = 1.0 / g.item()
    except ZeroDivisionError:
        r = -1.0
    return x * r


def a_root_caught(x, g):
    try:
        r = math.sqrt(g.item() - 1)
    except ValueError:
        r = -1.0
    return x * r


def a_logarithm_caught(x, g):
    try:
        r = math.log(int(g))
    except ValueError:
        r = -1.0
    return x * r


def an_int_caught(x, g):
    try:
        r = int(x[0] / g)
    except (ValueError, OverflowError):
        r = -1
    return x * r


def a_complex_root(x, g):
    return x * abs((float(x[0]) - 2.0) ** 0.5)


def a_whole_division_caught(x, g):
    try:
        r = int(g) // (int(g) - 1)
    except ZeroDivisionError:
        r = 7
    return x * r


def a_remainder_caught(x, g):
    try:
        r = int(g) % 0
    except ZeroDivisionError:
        r = 7
    return x * r


def arithmetic_caught(x, g):
    r = 3
    try:
        r /= int(g)
    except ArithmeticError:
        r = 7
    return x * r


def an_array_divided(x, g):
    return x / float(g)


def a_number_divides(x, g):
    return x * (1 / float(g))


def a_logarithm_of_zero(x, g):
    return x * math.log(int(g))


# ---------------------------------------------------------------------- text
def the_length_of_a_text(x, g):
    return x * len(f"{int(g)}")


def a_text_compared(x, g):
    return x * 2 if str(int(g)) == "2" else x


def a_text_as_a_key(x, g):
    return x * {"k0": 2.0, "k1": 3.0}.get(f"k{int(g)}", 9.0)


def the_text_of_an_item(x, g):
    return x * len(str(g.item()))


def a_percent_text(x, g):
    return x * len("%d" % int(g))  # noqa: UP031


def a_formatted_text(x, g):
    return x * len(f"{float(g):.3f}")


def the_text_of_a_boolean(x, g):
    return x * len(repr(bool(g > 0)))


def a_boolean_told(x, g):
    return x * (2 if "%s" % bool(g > 1) == "True" else 3)  # noqa: UP031


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


CASES = [f for f in list(globals().values()) if getattr(f, "__module__", "") == __name__]
REFUSED = {
    a_division_caught,
    a_root_caught,
    a_logarithm_caught,
    an_int_caught,
    a_whole_division_caught,
    a_remainder_caught,
    arithmetic_caught,
}
"""What no capture takes: Python's own hash, a key that may be new, an exception that a clause waits for."""
UNTOLD = {an_item_is_whole, the_class_of_an_item}
"""What is refused where no dtype is known."""
NOT_IN_JAX = {
    a_complex_root,
    the_length_of_a_text,
    a_text_compared,
    a_text_as_a_key,
    the_text_of_an_item,
    a_percent_text,
    a_formatted_text,
    the_text_of_a_boolean,
    a_boolean_told,
    bits,
    rounded_to_digits,
}
"""What arrays of 32 bits cannot do, nor code that is traced."""
