"""Calls of PyTorch that are no single op: functions in torch's own signatures that call several."""

from gfx_ir.families import tables

LIFTS = {call: lift for lifts in tables(__name__, __path__, "LIFTS") for call, lift in lifts.items()}
