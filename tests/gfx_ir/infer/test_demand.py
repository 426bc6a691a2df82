"""Demand-driven answers: each is found once, from no more than it needs, however deep the chain."""

import pytest

from gfx_ir.infer.demand import Question


def test_each_answer_is_found_once_and_no_chain_is_too_deep():
    found = []

    def rule(n):
        found.append(n)
        return 0 if n == 0 else 1 + (yield depth, n - 1)

    depth = Question(rule)
    assert depth.ask(100_000) == 100_000 and depth.ask(50_000) == 50_000
    assert len(found) == 100_001


def test_one_question_asks_another_and_no_more_than_it_needs():
    asked = []

    def is_even(n):
        asked.append(n)
        return n % 2 == 0
        yield

    def all_even(numbers):
        for n in numbers:
            if not (yield even, n):
                return False
        return True

    even = Question(is_even)
    assert Question(all_even).ask((2, 3, 4)) is False and asked == [2, 3]


def test_what_a_rule_raises_reaches_the_one_that_asked():
    def rule(n):
        if n == 3:
            raise ValueError(n)
        if n > 3:
            return (yield question, n - 1)
        try:
            return (yield question, n + 1)
        except ValueError as error:
            return error.args[0]

    question = Question(rule)
    assert question.ask(2) == 3
    with pytest.raises(ValueError):
        question.ask(1000)
