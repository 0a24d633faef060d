"""Heat maps of words: which of a text meet which regions of a picture, by the last layer of a ViLT.

ViLT learns to align words and patches by optimal transport between their last vectors, with the cosine
distance as the cost. The plan of that transport, found as it was in training, is the map of a word.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.nn.functional import normalize

from scoring.rivals.interface import WordRegions

# Of the proximal point method by which ViLT was trained.
ITERATIONS, BETA = 50, 0.5
DIGITS = 4


def regions_of(model: Any, tokenizer: Any, inputs: Mapping[str, Any]) -> WordRegions:
    """Return the map of each word: rows of shares, the largest 1. `inputs`: one text with one picture."""
    with torch.inference_mode():
        seen, mask, (places, (height, width)) = model.vilt.embeddings.visual_embed(
            inputs["pixel_values"], inputs["pixel_mask"], max_image_length=-1
        )
        texts = {name: inputs[name] for name in ("input_ids", "attention_mask", "token_type_ids")}
        (last,) = model.vilt(**texts, image_embeds=seen, pixel_mask=mask).last_hidden_state
    tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0].tolist())
    kept = [place for place, token in enumerate(tokens) if token not in tokenizer.all_special_tokens]
    if not kept:
        raise ValueError("The text has no word that the model knows.")
    plan = transport(last[kept].double(), last[len(tokens) + 1 :].double())
    grid = torch.zeros(len(kept), height, width, dtype=torch.double)
    rows, columns = places[0].cpu().unbind(dim=1)
    grid[:, rows, columns] = plan.cpu()
    return _by_word([tokens[place] for place in kept], grid)


def transport(words: torch.Tensor, patches: torch.Tensor) -> torch.Tensor:
    """Return how much of each word goes to each patch: all words, and all patches, have the same weight."""
    cost = 1 - normalize(words, dim=1) @ normalize(patches, dim=1).T
    count, size = cost.shape
    kernel = torch.exp(-cost / BETA)
    plan = torch.ones_like(cost)
    right = torch.full((size,), 1 / size, dtype=cost.dtype, device=cost.device)
    for _ in range(ITERATIONS):
        weighed = kernel * plan
        left = 1 / (count * (weighed @ right))
        right = 1 / (size * (left @ weighed))
        plan = left[:, None] * weighed * right[None, :]
    return plan


def _by_word(tokens: Sequence[str], grid: torch.Tensor) -> WordRegions:
    """Put the pieces of a word together, and scale each map to its largest share."""
    words: list[str] = []
    maps: list[torch.Tensor] = []
    for token, shares in zip(tokens, grid, strict=True):
        if token.startswith("##") and words:
            words[-1] += token.removeprefix("##")
            maps[-1] = maps[-1] + shares
        else:
            words.append(token)
            maps.append(shares)
    scaled = [shares / shares.max() for shares in maps]
    return WordRegions(
        words=words,
        maps=[[[round(share, DIGITS) for share in row] for row in shares.tolist()] for shares in scaled],
    )
