"""Partitions: a program cut for the devices that run it, compiled for concrete shapes, executed."""

from ..passes import PASSES
from .assign import Assign
from .buckets import Bucketed
from .compiled import CompiledPartition
from .dataflow import Dataflow
from .frozen import Frozen
from .parallel import Replicated
from .partition import Partition
from .placement import CheckPlacement, Pipeline, Place
from .plan import Plan, partition
from .policy import DEBUG, FUSION, Policy, max_ops

for _pass in (Assign, CheckPlacement, Pipeline, Place):
    PASSES.register(_pass).takes_only("devices")

__all__ = [
    "DEBUG", "FUSION", "Assign", "Bucketed", "CheckPlacement", "CompiledPartition", "Dataflow", "Frozen", "Partition", "Pipeline", "Place", "Plan",
    "Policy", "Replicated", "max_ops", "partition",
]  # fmt: skip
