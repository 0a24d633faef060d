"""A text tower computed only up to the end mark: a causal model cannot see what is behind it."""

from typing import Any

import torch
from open_clip import CLIP, CustomTextCLIP
from open_clip.transformer import TextTransformer
from torch import Tensor, nn


def is_causal(model: nn.Module) -> bool:
    """Whether a text is read at its end mark, and nothing behind that mark can change the result."""
    tower = _tower_of(model)
    return tower is not None and tower.attn_mask is not None and _pooling_of(tower)[0] in ("argmax", "eos")


def encode_text(model: nn.Module, tokens: Tensor) -> Tensor:
    """The result of `model.encode_text`, faster: of 77 places a short prompt needs five.

    Towers that are not causal are left to `model.encode_text`.
    """
    if not is_causal(model):
        whole: Tensor = model.encode_text(tokens)  # type: ignore[operator]
        return whole
    tower = _tower_of(model)
    ends = _ends_of(tower, tokens)
    length = int(ends.max()) + 1
    dtype = tower.transformer.get_cast_dtype()
    found = tower.token_embedding(tokens[:, :length]).to(dtype) + tower.positional_embedding[:length].to(
        dtype
    )
    found = tower.transformer(found, attn_mask=tower.attn_mask[:length, :length])
    # The last norm treats every place by itself, so the one that counts is enough.
    found = tower.ln_final(found[torch.arange(len(ends), device=ends.device), ends])
    return _project(tower, found)


def _tower_of(model: nn.Module) -> Any:
    """The part with the text's weights: open_clip keeps them in the model itself, or below `text`."""
    if type(model) is CLIP:
        return model
    text: Any = model.text if type(model) is CustomTextCLIP else None
    if type(text) is TextTransformer and text.cls_emb is None and not text.output_tokens:
        return text
    return None


def _pooling_of(tower: Any) -> tuple[str, int]:
    if isinstance(tower, CLIP):
        return tower.text_pool_type, tower.text_eos_id
    return tower.pool_type, tower.eos_id


def _ends_of(tower: Any, tokens: Tensor) -> Tensor:
    """The place of each end mark, found as open_clip does: the highest number, or a given one."""
    pooling, mark = _pooling_of(tower)
    return tokens.argmax(dim=-1) if pooling == "argmax" else (tokens == mark).int().argmax(dim=-1)


def _project(tower: Any, found: Tensor) -> Tensor:
    projection = tower.text_projection
    if projection is None:
        return found
    projected: Tensor = projection(found) if isinstance(projection, nn.Linear) else found @ projection
    return projected
