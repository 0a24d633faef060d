"""Models of a few kilobytes that read a text and a picture together: random, and the same each time."""

from pathlib import Path
from typing import Any

import torch
from transformers import (
    BertTokenizer,
    BlipConfig,
    BlipForConditionalGeneration,
    BlipForQuestionAnswering,
    BlipImageProcessor,
    BlipProcessor,
    ViltConfig,
    ViltForImageAndTextRetrieval,
    ViltImageProcessor,
    ViltProcessor,
)

from scoring import rivals

# Their constructors have no types, or not all of them.
_vilt: Any = ViltForImageAndTextRetrieval
_vilt_pictures: Any = ViltImageProcessor
_vilt_processor: Any = ViltProcessor
_blip: Any = BlipForConditionalGeneration
_blip_answering: Any = BlipForQuestionAnswering
_blip_processor: Any = BlipProcessor
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[ENC]", "[DEC]"]
WORDS = [*SPECIAL, "a", "an", "dog", "moon", "red", "the", "is"]
SIZES: dict[str, Any] = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "initializer_range": 0.5,
}


def save_vilt(folder: Path) -> Path:
    torch.manual_seed(3)
    config = ViltConfig(
        **SIZES, vocab_size=len(WORDS), image_size=32, patch_size=16, max_position_embeddings=12
    )
    _vilt(config).eval().save_pretrained(folder)
    pictures = _vilt_pictures(size={"shortest_edge": 32}, size_divisor=16)
    _vilt_processor(pictures, _tokenizer(folder, length=12)).save_pretrained(folder)
    return folder


def save_blip(folder: Path, *, answers: bool = False) -> Path:
    """Save a BLIP that describes pictures, or one that answers questions about them."""
    torch.manual_seed(5)
    text = {
        **SIZES,
        "vocab_size": len(WORDS),
        "encoder_hidden_size": 16,
        "bos_token_id": WORDS.index("[DEC]"),
        "pad_token_id": 0,
        "sep_token_id": WORDS.index("[SEP]"),
        "eos_token_id": WORDS.index("[SEP]"),
        "projection_dim": 8,
        "max_position_embeddings": 32,
    }
    vision = {**SIZES, "image_size": 32, "patch_size": 16, "projection_dim": 8}
    config = BlipConfig(text_config=text, vision_config=vision, projection_dim=8, image_text_hidden_size=8)
    (_blip_answering if answers else _blip)(config).eval().save_pretrained(folder)
    pictures = BlipImageProcessor(size={"height": 32, "width": 32})
    _blip_processor(pictures, _tokenizer(folder, length=32)).save_pretrained(folder)
    return folder


def spec(kind: str, folder: Path, **options: Any) -> rivals.Spec:
    return rivals.Spec(
        name="small", kind=kind, path=folder, weights_sha256=rivals.digest(folder), options=options
    )


def _tokenizer(folder: Path, *, length: int) -> BertTokenizer:
    path = folder / "vocab.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(WORDS))
    return BertTokenizer(vocab=str(path), model_max_length=length)
