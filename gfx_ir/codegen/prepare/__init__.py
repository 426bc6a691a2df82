"""Lowering: the passes over the printer's own copy of a program, one file each; a style lists those that its target needs, and the
backend that alone needs a pass has its file.

These files know the graph and the style of the target, and nothing of names, expressions or statements.
"""

from .alike import AlikeLists
from .asked import Truths
from .base import LOWERINGS, Emission, Lowering
from .booleans import Booleans
from .carried import DropCarried
from .composite import Composites
from .filled import FilledLists
from .foreign import ForeignTexts
from .gathered import Gathered
from .handed import FindHanded
from .inline import InlineCalls
from .kept_lists import KeptLists
from .lacking import LackingDtypes
from .lists import TensorLists
from .literals import Literals
from .merge import MergedTests
from .nested_loops import NestedLoops
from .one_generator import OneGenerator
from .open_dtypes import OpenDtypes
from .ordered import KeepOrder
from .own_gradients import OwnGradients
from .pipeline import Prepared, prepare
from .powers import Powers
from .promoted import Promoted
from .python_numbers import PythonNumbers
from .ranges import Ranges
from .repeated_keys import RepeatedKeys
from .reroll import Reroll
from .returned import Returned
from .settled import AskedFirst
from .shallow import Shallow
from .shared_calls import SharedCalls
from .simplify import Simplify
from .stacked import StackedLists
from .staged import StagedRanges
from .traced import Traced
from .unpack import Unpacked
from .unread import Unread
from .untold import Untold
from .zipped import Shortest

for _pass in (
    AlikeLists, AskedFirst, Booleans, Composites, DropCarried, FilledLists, FindHanded, ForeignTexts, Gathered, InlineCalls, KeepOrder, KeptLists,
    LackingDtypes, Literals, MergedTests, NestedLoops, OneGenerator, OpenDtypes, OwnGradients, Powers, Promoted, PythonNumbers, Ranges,
    RepeatedKeys, Reroll,
    Returned, Shallow, SharedCalls, Shortest, Simplify, StackedLists, StagedRanges, TensorLists, Traced, Truths, Unpacked, Unread, Untold,
):  # fmt: skip
    LOWERINGS.register(_pass)

__all__ = ["LOWERINGS", "Emission", "Lowering", "Prepared", "prepare"]
