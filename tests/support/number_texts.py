"""What Python does with numbers that are read from tensors: what it raises, and text."""

import math


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


def a_division_with_a_finally(x, g):
    r = 0.0
    try:
        r = x[0].item() / x[1].item()
    except ZeroDivisionError:
        r = 1.0
    finally:
        r = r + 1
    return x * r


def an_overflow_caught(x, g):
    try:
        return x * math.exp(float(g) * 1000)
    except OverflowError:
        return x


def an_index_caught(x, g):
    try:
        r = [1.0, 2.0][int(g)]
    except IndexError:
        r = 9.0
    return x * r


def a_key_caught(x, g):
    try:
        r = {0: 1.0}[int(g)]
    except KeyError:
        r = 9.0
    return x * r


def divisions_by_a_number(x, g):
    return x * (5 // int(g)) + 7 % int(g)


def an_arc_of_too_much(x, g):
    return x * math.acos(float(g))


def a_high_power_caught(x, g):
    try:
        v = int(float(g) ** 500)
    except OverflowError:
        v = -1
    return x * v


def a_text_among_texts(x, g):
    return x * (2 if f"{g.item():.1f}" in ("1.0", "2.0") else 3)


def a_text_in_lower_case(x, g):
    return x * (2 if str(bool(g > 1)).lower() == "true" else 1)


def a_number_of_a_text(x, g):
    return x * int(f"{int(g)}1")


def a_repeated_text(x, g):
    return x * len("ab" * int(g))


def a_repeated_list(x, g):
    return x * len([1.0] * int(g))


CASES = [f for f in list(globals().values()) if getattr(f, "__module__", "") == __name__]
REFUSED = {
    a_repeated_text,
    a_repeated_list,
    a_division_with_a_finally,
    an_overflow_caught,
    an_index_caught,
    a_key_caught,
    a_high_power_caught,
    a_division_caught,
    a_root_caught,
    a_logarithm_caught,
    an_int_caught,
    a_whole_division_caught,
    a_remainder_caught,
    arithmetic_caught,
}
"""What no capture takes: Python's own hash, a key that may be new, an exception that a clause waits for."""
NOT_IN_JAX = {
    a_text_among_texts,
    a_text_in_lower_case,
    a_number_of_a_text,
    a_complex_root,
    the_length_of_a_text,
    a_text_compared,
    a_text_as_a_key,
    the_text_of_an_item,
    a_percent_text,
    a_formatted_text,
    the_text_of_a_boolean,
    a_boolean_told,
}
"""What arrays of 32 bits cannot do, nor code that is traced."""
