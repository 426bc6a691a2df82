"""Partitions: a program cut for the devices that run it, compiled for concrete shapes, executed."""

from .compiled import CompiledPartition
from .frozen import Frozen
from .partition import Partition
from .plan import Plan, partition
from .policy import DEBUG, FUSION, Policy, max_ops

__all__ = ["DEBUG", "FUSION", "CompiledPartition", "Frozen", "Partition", "Plan", "Policy", "max_ops", "partition"]
