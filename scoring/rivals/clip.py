"""CLIP in the architectures of open_clip. Its weights are a local file; nothing is ever downloaded here."""

import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from pickle import UnpicklingError
from tempfile import TemporaryDirectory
from typing import Any, cast
from zipfile import BadZipFile, ZipFile, is_zipfile

import numpy as np
import open_clip
import torch
from open_clip.transform import PreprocessCfg, image_transform_v2
from PIL import Image
from safetensors import SafetensorError
from torch import Tensor
from torch.nn.functional import normalize

from scoring.rivals import weights
from scoring.rivals.cue_prompts import WITH_ARTICLE, prompt_of, template_of
from scoring.rivals.devices import device_of, name_of
from scoring.rivals.interface import DualEncoder, NotLoadable, Picture, Spec, Vectors
from scoring.rivals.picture_files import read_picture
from scoring.rivals.text_tower import encode_text

DEFAULT = "RN50"
BATCH_SIZE = 32
PRECISIONS = ("fp16", "fp32")
# All exceptions that torch, safetensors and open_clip raise over a file that is no checkpoint, or another
# model's.
UNFIT = (
    AssertionError,
    AttributeError,
    BadZipFile,
    EOFError,
    KeyError,
    OSError,
    RuntimeError,
    SafetensorError,
    StopIteration,
    TypeError,
    UnpicklingError,
    ValueError,
)
# Numbers that OpenAI's archives carry among the weights.
NO_WEIGHTS = frozenset({"input_resolution", "context_length", "vocab_size"})


class ClipRival(DualEncoder):
    """A rival that scores by the cosine similarity of the cue's prompt and each picture.

    It is for one thread at a time. Options: `config` (an architecture of one's own), `weights` (the published
    weights' tag in open_clip's table, which knows how they need pictures prepared), `quick_gelu`,
    `preprocess` (what differs from the table), `prompt` (with {cue}), `device`, `precision` (fp16 on a card,
    else fp32) and `batch_size`.
    """

    kind = "clip"

    def __init__(self, spec: Spec) -> None:
        own = "config" in spec.options
        super().__init__(replace(spec, model=spec.model or ("" if own else DEFAULT)))
        self._template = template_of(self.spec)
        config = _config_of(self.spec)
        self._sha256 = weights.check(self.spec)
        self._device = device_of(spec.options)
        precision = _precision_of(spec, self._device)
        self._batch_size = int(spec.options.get("batch_size", BATCH_SIZE))
        self._model = _build(self.spec, config, device=self._device, precision=precision)
        self._tokenize = _tokenizer_of(config)
        cfg = self._model.visual.preprocess_cfg
        self._prepare: Callable[[Image.Image], Tensor] = image_transform_v2(
            PreprocessCfg(**cfg), is_train=False
        )
        self._width: int = config["embed_dim"]
        self._dtype: torch.dtype = open_clip.get_input_dtype(precision) or torch.float32
        described = {
            "reads": "pixels",
            "architecture": spec.options["config"] if own else self.spec.model,
            "quick_gelu": config["quick_gelu"],
            "precision": precision,
            **cfg,
        }
        self._preprocessing: Mapping[str, Any] = json.loads(json.dumps(described))

    @property
    def weights_sha256(self) -> str:
        return self._sha256

    @property
    def preprocessing(self) -> Mapping[str, Any]:
        return self._preprocessing

    @property
    def provenance(self) -> Mapping[str, Any]:
        """Provenance with the prompt, which decides the cue's vector but no picture's."""
        return {**super().provenance, "prompt": self._template or WITH_ARTICLE}

    @property
    def device(self) -> str:
        return name_of(self._device)

    def prompt(self, cue: str) -> str:
        return prompt_of(cue, self._template)

    def key_of(self, picture: Picture) -> str:
        return picture.sha256

    def embed_texts(self, prompts: Sequence[str]) -> Vectors:
        return self._embed(
            encode_text(self._model, self._tokenize(list(batch)).to(self._device))
            for batch in self._batches(prompts)
        )

    def embed_pictures(self, pictures: Sequence[Picture]) -> Vectors:
        return self._embed(
            self._model.encode_image(torch.stack([self._pixels_of(one) for one in batch]).to(**self._where))
            for batch in self._batches(pictures)
        )

    def _embed(self, found: Iterable[Tensor]) -> Vectors:
        """Unit vectors of the batches, which are computed while they are read here."""
        with torch.inference_mode():
            units = [normalize(batch.float(), dim=-1).cpu().numpy() for batch in found]
        return np.concatenate([np.empty((0, self._width), dtype=np.float32), *units])

    def _batches(self, items: Sequence[Any]) -> Iterator[Sequence[Any]]:
        starts = range(0, len(items), self._batch_size)
        return (items[start : start + self._batch_size] for start in starts)

    @property
    def _where(self) -> dict[str, Any]:
        return {"device": self._device, "dtype": self._dtype}

    def _pixels_of(self, picture: Picture) -> Tensor:
        """The prepared pixels of a picture. Raises UnreadablePicture if it cannot be read or is too large."""
        # Not turned by its EXIF data, and made RGB only after resizing: so does open_clip, and so were the
        # published models trained and measured.
        return read_picture(picture, self._prepare)


def _precision_of(spec: Spec, device: torch.device) -> str:
    precision = spec.options.get("precision") or ("fp16" if device.type == "cuda" else "fp32")
    if precision not in PRECISIONS:
        raise NotLoadable(f"There is no precision {precision} here. Choose {' or '.join(PRECISIONS)}.")
    return str(precision)


def _config_of(spec: Spec) -> dict[str, Any]:
    """The configuration of a known architecture, or the options' own, with QuickGELU decided."""
    name, own = _architecture(spec), spec.options.get("config")
    if own is None and name not in open_clip.list_models():
        raise NotLoadable(
            f"open_clip knows no architecture {spec.model}, which {spec.name} names. "
            "Name one of open_clip.list_models(), such as RN50 or ViT-B-32, "
            "or describe another in the option config."
        )
    config: dict[str, Any] = deepcopy(own) if own is not None else open_clip.get_model_config(name)
    if missing := {"embed_dim", "vision_cfg", "text_cfg"} - config.keys():
        raise NotLoadable(f"The option config of {spec.name} lacks {', '.join(sorted(missing))}.")
    _refuse_a_network(spec, config)
    by_default = config.get("quick_gelu") or _published(spec).get("quick_gelu") or _is_openai(spec)
    config["quick_gelu"] = bool(spec.options.get("quick_gelu", by_default))
    return config


def _architecture(spec: Spec) -> str:
    """The architecture as open_clip spells it: OpenAI's ViT-B/32 is ViT-B-32."""
    return spec.model.replace("/", "-")


def _refuse_a_network(spec: Spec, config: Mapping[str, Any]) -> None:
    """Raise NotLoadable for parts that open_clip fetches from a hub, or a tokenizer that cuts at random."""
    text, vision = config["text_cfg"], config["vision_cfg"]
    from_hub = [text.get("hf_model_name"), text.get("hf_tokenizer_name")]
    if any(from_hub) or ":" in (vision.get("timm_model_name") or ""):
        raise NotLoadable(
            f"The architecture of {spec.name} takes its text model, its tokenizer or its vision model from "
            "a hub, and nothing is downloaded here. Choose one without, such as RN50 or ViT-B-32."
        )
    if (text.get("tokenizer_kwargs") or {}).get("reduction_mask"):
        raise NotLoadable(f"The tokenizer of {spec.name} shortens texts at random. Leave out reduction_mask.")


def _is_openai(spec: Spec) -> bool:
    return bool(spec.options.get("weights") == "openai")


def _published(spec: Spec) -> Mapping[str, Any]:
    """Settings of published weights in open_clip's table; empty if the options name none."""
    tag, name = spec.options.get("weights", ""), _architecture(spec)
    found: Mapping[str, Any] = open_clip.get_pretrained_cfg(name, tag) if tag else {}
    if tag and not found and not _is_openai(spec):
        known = ", ".join(open_clip.list_pretrained_tags_by_model(name)) or "none"
        raise NotLoadable(f"open_clip knows no weights {tag} for {name or 'this config'}. Known: {known}.")
    return found


def _build(spec: Spec, config: Mapping[str, Any], *, device: torch.device, precision: str) -> Any:
    """Build from a local folder: open_clip's own rules for older weights hold, and no tag is looked up."""
    try:
        with TemporaryDirectory() as folder:
            described = {"model_cfg": config, "preprocess_cfg": dict(_published(spec))}
            (Path(folder) / "open_clip_config.json").write_text(json.dumps(described))
            _lay_weights(cast(Path, spec.path), Path(folder))
            model = open_clip.create_model(
                f"local-dir:{folder}",
                precision=precision,
                device=device,
                force_preprocess_cfg=spec.options.get("preprocess"),
                pretrained_text=False,
                require_pretrained=True,
            )
    except UNFIT as problem:
        raise NotLoadable(
            f"{spec.name} cannot be built from {spec.path}: {str(problem)[:500]} "
            "Name the architecture whose weights the file holds, or fetch the file again."
        ) from problem
    return model.eval().requires_grad_(requires_grad=False)


def _lay_weights(path: Path, folder: Path) -> None:
    """Put the weights into the folder, under a name that open_clip looks for."""
    if _is_archive(path):
        torch.save(_weights_in_archive(path), folder / "pytorch_model.bin")
        return
    name = "model.safetensors" if path.suffix == ".safetensors" else "pytorch_model.bin"
    (folder / name).symlink_to(path.resolve())


def _is_archive(path: Path) -> bool:
    """Whether the file is a TorchScript program, as OpenAI published its models."""
    if not is_zipfile(path):
        return False
    with ZipFile(path) as archive:
        return any(name.endswith("/constants.pkl") for name in archive.namelist())


def _weights_in_archive(path: Path) -> dict[str, Tensor]:
    """Weights of a TorchScript archive. Torch reads it without pickle, so nothing in it can run here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # torch would rather forget the format
        state = torch.jit.load(str(path), map_location="cpu").state_dict()  # type: ignore[no-untyped-call]
    return {name: tensor for name, tensor in state.items() if name not in NO_WEIGHTS}


def _tokenizer_of(config: Mapping[str, Any]) -> Any:
    """open_clip's own tokenizer, whose vocabulary is in the package. Longer texts are cut as it cuts them."""
    text = config["text_cfg"]
    return open_clip.SimpleTokenizer(
        context_length=text.get("context_length", 77), **(text.get("tokenizer_kwargs") or {})
    )
