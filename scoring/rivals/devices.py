"""The device on which a model computes: a CUDA card where there is one, else the processor."""

from collections.abc import Mapping
from typing import Any

import torch


def device_of(options: Mapping[str, Any]) -> torch.device:
    return torch.device(options.get("device") or ("cuda" if torch.cuda.is_available() else "cpu"))


def name_of(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"
