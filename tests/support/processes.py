"""Pythons of their own: with what a test takes away from them."""

import os
import subprocess
import sys

from places import ROOT

CLI = "from gfx_trace.cli import main; main()"
BLOCK = """
import sys


class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)


sys.meta_path.insert(0, Block())
"""


def without(tmp_path, *names):
    """The environment of a Python that has not these packages."""
    (tmp_path / "blocked").mkdir()
    (tmp_path / "blocked" / "sitecustomize.py").write_text(
        f"exec({BLOCK.format(names=names)!r})\n"
    )  # no frame of a file
    paths = [str(tmp_path / "blocked"), str(ROOT), str(ROOT / "backends")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def python(env, *words):
    return subprocess.run([sys.executable, *words], env=env, capture_output=True, text=True, check=False)
