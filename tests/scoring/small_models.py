"""Models small enough to be made by a test: open_clip's own architectures with seeded random weights."""

import warnings
from collections.abc import Mapping
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import open_clip
import torch
from PIL import Image

from scoring import rivals

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]

# The real tokenizer's whole vocabulary, in a tower a hundredth as large.
TEXT = {"context_length": 77, "vocab_size": 49408, "width": 32, "heads": 2, "layers": 2}
RESNET = {
    "embed_dim": 16,
    "vision_cfg": {"image_size": 64, "layers": [1, 1, 1, 1], "width": 16, "patch_size": None},
    "text_cfg": TEXT,
}
VIT = {
    "embed_dim": 16,
    "vision_cfg": {"image_size": 32, "layers": 2, "width": 32, "head_width": 16, "patch_size": 8},
    "text_cfg": TEXT,
}
CUSTOM = {**VIT, "custom_text": True}
CONFIGS: Mapping[str, dict[str, Any]] = {"resnet": RESNET, "vit": VIT, "custom": CUSTOM}


def with_text(config: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """Change the text tower of an architecture, and nothing else."""
    return {**config, "text_cfg": {**config["text_cfg"], **changes}}


def clip(config: Mapping[str, Any], *, seed: int = 1) -> Any:
    """Make a model whose weights are all random; open_clip would begin with some at zero."""
    described = deepcopy(dict(config))
    model_class = open_clip.CustomTextCLIP if described.pop("custom_text", False) else open_clip.CLIP
    generator = torch.Generator().manual_seed(seed)
    model = model_class(**described).eval().requires_grad_(requires_grad=False)
    for name, tensor in model.state_dict().items():
        if tensor.is_floating_point():
            scale = 0.1 if tensor.ndim < 2 else 0.3
            middle = 1.0 if tensor.ndim < 2 and name.endswith(("weight", "running_var")) else 0.0
            tensor.copy_(middle + scale * torch.randn(tensor.shape, generator=generator).clamp(-3, 3))
    return model


def save_clip(path: Path, config: Mapping[str, Any], *, seed: int = 1) -> Path:
    torch.save(clip(config, seed=seed).state_dict(), path)
    return path


def save_archive(path: Path, config: Mapping[str, Any]) -> Path:
    """Save a TorchScript program with the same numbers as OpenAI's, also in half precision."""
    model = clip(config)
    for name in ("input_resolution", "context_length", "vocab_size"):
        if hasattr(model, name):
            delattr(model, name)
        model.register_buffer(name, torch.tensor(77))
    mask = model._buffers.pop("attn_mask").half()
    model.half().attn_mask = mask  # a constant of the program, as in OpenAI's
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch would rather forget the format
        inputs = {"encode_text": torch.zeros(1, 77, dtype=torch.long)}
        program = torch.jit.trace_module(model, inputs)  # type: ignore[no-untyped-call]
        torch.jit.save(program, str(path))
    return path


def spec(path: Path | None, **options: Any) -> rivals.Spec:
    model = options.pop("model", "")
    digest = rivals.digest(path) if path else ""
    return rivals.Spec(
        name="small", kind="clip", model=model, path=path, weights_sha256=digest, options=options
    )


def picture(path: Path) -> rivals.Picture:
    return rivals.Picture(
        sha256=sha256(path.read_bytes()).hexdigest(), path=str(path), caption="nothing reads this"
    )


def draw(path: Path, *, seed: int, size: tuple[int, int] = (90, 70), mode: str = "RGB") -> rivals.Picture:
    """Draw coarse colored squares, different in each picture."""
    colours = np.array([[Random(f"{seed} {x} {y}").randbytes(3) for x in range(6)] for y in range(5)])
    squares = np.frombuffer(colours.tobytes(), dtype=np.uint8).reshape(5, 6, 3)
    Image.fromarray(squares).resize(size, Image.Resampling.NEAREST).convert(mode).save(path)
    return picture(path)
