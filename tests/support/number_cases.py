"""What Python does with numbers that are read from tensors: small functions of x[2] and a number g, both torch tensors."""

import math


# ---------------------------------------------------------------------- booleans
def votes(x, g):
    votes = (x[0] > 0).item() + (x[1] > 0).item()
    if votes == 2:
        return x * 2
    return x


def booleans_add(x, g):
    return x * (bool(x[0] > 0) + bool(x[1] > 0))


def truths_of_numbers_add(x, g):
    return x * (bool(x[0]) + bool(g) * 2 + (not g) + True)


def a_boolean_tensor_counts(x, g):
    for i in range(g > 1, (x > 0).any() + 2):
        x = x + i
    return x


def a_boolean_inverted(x, g):
    return x * ~bool(g > 1)


def nots_add(x, g):
    return x * ((not x[0] > 0) + (not x[1] > 0))


def a_sum_of_booleans(x, g):
    return x * sum([bool(x[0] > 0), bool(x[1] > 0), bool(g > 0)])


def a_boolean_negated(x, g):
    return x * -bool(g > 0)


def booleans_in_products(x, g):
    return x * (bool(g > 0) * 3 - bool(x[0] > 0))


def anys_add(x, g):
    return x * (any([x[0] > 0, x[1] > 5]) + any([x[0] > 0, g > 0]))


def booleans_counted_in_a_loop(x, g):
    n = 0
    for v in x:
        n += bool(v > 0)
    return x * n


def memberships_add(x, g):
    return x * ((g in [1, 2]) + (g in [2, 3]))


def half_a_boolean(x, g):
    return x * (bool(g > 0) / 2)


def powers_of_booleans(x, g):
    return x * (bool(g > 1) ** 2 + bool(x[0] > 0) // 1 + bool(x[0] > 0) % 2)


def both_booleans(x, g):
    return x * (2 if bool(x[0] > 0) & bool(x[1] > 0) else 3)


def a_boolean_shifted(x, g):
    return x * (bool(x[0] > 0) << 3)


def the_size_of_a_boolean(x, g):
    return x * abs(bool(x[0] > 0)) + +bool(g > 0)


# ---------------------------------------------------------------------- division and powers
def a_power_with_a_modulus(x, g):
    return x * pow(int(g), 3, 5)


def both_of_a_division(x, g):
    q, r = divmod(int(g) + 7, 3)
    return x * q + r


# ---------------------------------------------------------------------- doubles
def a_double_told_apart(x, g):
    s = g.item()
    return x * 2 if s + 1e-09 > s else x


def a_large_quotient(x, g):
    return x + math.exp(x[0].item() * 1000) / math.exp(x[0].item() * 1000)


def a_small_difference(x, g):
    s = float(g)
    return x * (s + 1e-12 - s) * 1000000000000.0


def the_smallest_step(x, g):
    s = float(g)
    e = 1.0
    n = 0
    while s + e > s:
        e = e / 2
        n += 1
    return x * n


def beyond_a_single(x, g):
    return x * 2 if float(g) * 1e300 > 1e200 else x


# ---------------------------------------------------------------------- whole numbers without end
def a_long_product(x, g):
    n = int(g)
    r = 1
    for i in range(1, 22):
        r *= i + n
    return x * (r % 97)


def a_high_power(x, g):
    return x * ((int(g) + 5) ** 40 % 97)


def a_far_shift(x, g):
    return x * ((1 << int(g) + 64) % 97)


def an_open_power(x, g):
    return x * (2 ** (int(g) + 70) % 97)


def squared_again(x, g):
    r = int(g) + 3
    for i in range(8):
        r = r * r
    return x * (r % 97)


def sorted_numbers(x, g):
    return x * sorted([int(x[0]), int(g)])[0]


def both_items(x, g):
    return x * ((x[0] > 0).item() & (x[1] > 0).item())


def a_sum_over_rows(x, g):
    return x * sum(bool(v > 0) for v in x)


def comparisons_add(x, g):
    return x * ((int(g) > 0) + (int(g) > 1))


def a_test_or_a_number(x, g):
    return x * (int(g) == 1 or 5)


def a_not_in_a_product(x, g):
    return x * (1 + (not bool(g > 1)) * 2)


def an_and_over_rows(x, g):
    a = True
    for v in x:
        a = a and bool(v > 0)
    return x * (a + a)


def booleans_and_bits(x, g):
    return x * (bool(g > 0) ^ bool(g > 1)) + (bool(g > 0) | 2)


def a_boolean_grows(x, g):
    f = bool(g > 0)
    f += bool(g > 1)
    return x * f


def the_greater_of_booleans(x, g):
    return x * max(bool(g > 0), bool(g > 1)) + min(bool(g > 0), 2)


def a_boolean_or_a_number(x, g):
    c = x[0] > 0
    n = bool(c) if g > 1 else 3
    return x * (n + n)


def equal_to_ten_digits(x, g):
    a = float(g)
    b = a + 1e-10
    return x if a == b else -x


def one_and_a_little(x, g):
    return x * 2 if 1 + float(g) * 1e-09 != 1 else x


def a_factorial(x, g):
    return x * (math.factorial(int(g) + 20) % 97)


def a_large_factor(x, g):
    return x * (int(g) * 10**15 % 97)


def a_product_with_a_modulus(x, g):
    n = 1
    for v in x:
        n = n * (abs(int(v)) + 7) % 11
    return x * n


def fibonacci(x, g):
    a, b = (0, 1)
    for i in range(int(g)):
        a, b = (b, a + b)
    return x * a


def squares_without_end(x, g):
    n = int(g) + 2
    while n < 100:
        n = n * n
    return x * n


def bits_of_numbers(x, g):
    return x * (int(g) & 3 | 4 ^ 1) + ~int(g) + (int(g) >> 1)


def a_test_of_a_number_negated(x, g):
    return x * -float(g).is_integer()


CASES = [f for f in list(globals().values()) if getattr(f, "__module__", "") == __name__]
REFUSED = set()
"""What no capture takes."""
AT_HAND = {sorted_numbers}
"""What JAX's source computes where data are at hand, and jax.jit compiles not."""
NOT_IN_JAX = {
    a_large_quotient,
    equal_to_ten_digits,
    one_and_a_little,
    a_factorial,
    a_large_factor,
    squares_without_end,
    a_power_with_a_modulus,
    a_double_told_apart,
    a_small_difference,
    the_smallest_step,
    beyond_a_single,
    a_long_product,
    a_high_power,
    a_far_shift,
    an_open_power,
    squared_again,
}
"""What arrays of 32 bits cannot do, nor code that is traced."""
