"""Python's numbers out of tensors as keys and members: of dictionaries, sets, lists and tuples."""

from collections import Counter


def a_dictionary_is_asked(x, g):
    return x * {0: 10.0, 1: 20.0}.get(int(g), -1.0)


def a_set_is_asked(x, g):
    return x * 2 if int(g) in {0, 1} else x


def a_counter_counts(x, g):
    c = Counter([int(g), 1, 1])
    return x * c[1]


def seen_before(x, g):
    seen = {}
    for v in x:
        k = int(v)
        if k in seen:
            return x * 0
        seen[k] = 1
    return x


def a_set_of_numbers(x, g):
    return x * len({int(x[0]), int(x[1])})


def a_key_under_a_test(x, g):
    return x * {0: 10.0, 1: 20.0}[int(g)] if g < 2 else x


def a_list_is_indexed(x, g):
    return x * [5.0, 6.0, 7.0][int(g) % 3]


def a_boolean_key(x, g):
    return x * {True: 2.0, False: 3.0}[bool(g > 1)]


def an_item_in_a_tuple(x, g):
    return x * (g.item() in (0, 1, 2))


def a_new_key(x, g):
    d = {1: 2.0}
    d[int(g)] = 5.0
    return x * d[1]


def a_hash(x, g):
    return x + hash(int(g))


def the_greater_of_an_entry(x, g):
    return x * max({1: 2, 3: 4}.get(int(g), 7), 2)


def tensors_of_a_dictionary(x, g):
    table = {0: x, 1: x * 2, 2: x * 3}
    return table.get(int(g), -x)


def a_text_chosen_as_a_key(x, g):
    m = {"a": 1, "b": 2}
    return x * m.get("a" if int(g) == 1 else "b", 0)


def not_in_a_list(x, g):
    return x * (1 if int(g) not in [0, 2] else 5)


def an_item_as_a_key(x, g):
    return x * {1: 2.0, 2: 3.0}.get(g.item(), 9.0)


def a_rounded_key(x, g):
    return x * {0: 1.0, 1: 2.0}.get(round(float(g)), 7.0)


def a_fraction_as_a_key(x, g):
    return x * {0.0: 1.0, 2.0: 4.0}.get(float(g), 7.0)


def keys_from_numbers(x, g):
    return x * len(dict.fromkeys([int(x[0]), int(x[1])]))


def counted_by_places(x, g):
    counts = [0, 0, 0]
    for v in x:
        counts[int(v) % 3] += 1
    return x * counts[0] + counts[1]


CASES = [f for f in list(globals().values()) if getattr(f, "__module__", "") == __name__]
REFUSED = {
    keys_from_numbers,
    a_text_chosen_as_a_key,
    a_counter_counts,
    seen_before,
    a_set_of_numbers,
    a_new_key,
    a_hash,
}
"""What no capture takes: Python's own hash, a key that may be new, an exception that a clause waits for."""
NOT_IN_JAX = set()
