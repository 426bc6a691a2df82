"""Layers of helpers, each of which calls the one below it twice: written as a module, so that its source can be read."""

import importlib.util
import textwrap

HEAD = "from dataclasses import dataclass\n\nimport torch\n"
KINDS = {
    "branches": (
        "def h0(x):\n    return x * 0.5\n",
        "def h{i}(x):\n    if x.sum() > {i}:\n        return h{j}(x) + 1\n    return h{j}(x * 2) - 1\n",
        "h{n}(x)",
    ),
    "methods": (
        "class Model:\n    scale = 0.5\n    def h0(self, x):\n        return x * self.scale\n",
        "    def h{i}(self, x):\n        return self.h{j}(x) - self.h{j}(x * 2)\n",
        "Model().h{n}(x)",
    ),
    "appended": (
        "def h0(x):\n    return x * 0.5\n",
        "def h{i}(x):\n    outs = []\n    outs.append(h{j}(x))\n    outs.append(h{j}(x * 2))\n    return outs[0] - outs[1]\n",
        "h{n}(x)",
    ),
    "sizes": (
        "def h0(x, n):\n    return x * n, n + 1\n",
        "def h{i}(x, n):\n    a, p = h{j}(x, n)\n    b, q = h{j}(x * 2, n)\n    return a * p - b * q, n\n",
        "h{n}(x, x.shape[0])[0]",
    ),
    "records": (
        "@dataclass\nclass State:\n    a: object\n    b: object\ndef h0(s):\n    return State(s.a * s.b, s.b)\n",
        "def h{i}(s):\n    p = h{j}(State(s.a, s.b + 1))\n    q = h{j}(State(s.b, s.a))\n    return State(p.a - q.a, p.b)\n",
        "h{n}(State(x, x + 1)).a",
    ),
    "dictionaries": (
        "def h0(s):\n    return {{'a': s['a'] * s['b'], 'b': [s['b']]}}\n",
        "def h{i}(s):\n    p = h{j}({{'a': s['a'], 'b': s['b']}})\n    return h{j}({{'a': p['a'], 'b': p['b'][0] * 0.5}})\n",
        "h{n}({{'a': x, 'b': x + 1}})['a']",
    ),
    "written": (
        "def h0(x):\n    x *= 0.5\n    return x.sum()\n",
        "def h{i}(x):\n    y = x * 1\n    return h{j}(x) - h{j}(y)\n",
        "h{n}(x * 1)",
    ),
    "one_or_the_other": (
        "def h0(x, y):\n    return x\n",
        "def h{i}(x, y):\n    if x.sum() > {i}:\n        return h{j}(x, y)\n    return h{j}(y, x)\n",
        "h{n}(x, x + 1)",
    ),
    "views": (
        "def h0(x):\n    return x[:]\n",
        "def h{i}(x):\n    return torch.cat([h{j}(x[:1]), h{j}(x[1:])])\n",
        "h{n}(x)",
    ),
    "unread": (
        "def h0(x, y):\n    return x * 0.5\n",
        "def h{i}(x, y):\n    return h{j}(x, y) - h{j}(x * 2, y)\n",
        "h{n}(x, x + 1)",
    ),
    "modes": (
        "def h0(x):\n    return x * 0.5\n",
        "def h{i}(x):\n    with torch.no_grad():\n        y = h{j}(x)\n    return y - h{j}(x * 2)\n",
        "h{n}(x)",
    ),
    "handled": (
        "def h0(x):\n    return x * 0.5\n",
        "def h{i}(x):\n    try:\n        return h{j}(x) - h{j}(x * 2)\n    except ZeroDivisionError:\n        return x\n",
        "h{n}(x)",
    ),
    "checked": (
        "def h0(x):\n    return x * 0.5\n",
        "def h{i}(x):\n    assert x.sum() < 1e30, 'large'\n    return h{j}(x) - h{j}(x * 2)\n",
        "h{n}(x)",
    ),
    "random": (
        "def h0(x):\n    return x * (torch.rand(3) * 0 + 0.5)\n",
        "def h{i}(x):\n    return h{j}(x) - h{j}(x * 2)\n",
        "h{n}(x)",
    ),
    "loops": (
        "def h0(x):\n    return x * 0.5\n",
        "def h{i}(x):\n    while x.sum() > {i}:\n        x = h{j}(x) - 1\n    return h{j}(x * 2)\n",
        "h{n}(x)",
    ),
    "recursion": ("", "", "h(x, {n})", "def h(x, n):\n    return x if n == 0 else h(x, n - 1) - h(x * 2, n - 1)\n"),
}  # fmt: skip
"""For each kind the lowest helper, one of the others (`i`: its number, `j`: that of the one below), and what calls the highest."""


def layered(folder, kind, count):
    """The function that calls so many layers of helpers of a kind."""
    lowest, other, call, *more = KINDS[kind]
    text = HEAD + lowest.format() + "".join(other.format(i=i, j=i - 1) for i in range(1, count + 1))
    text += "".join(more) + f"def entry(x):\n    return {call.format(n=count)}\n"
    path = folder / f"{kind}_{count}.py"
    path.write_text(textwrap.dedent(text))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.entry
