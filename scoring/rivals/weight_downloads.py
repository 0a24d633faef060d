"""Downloads of weights, by an explicit command and nowhere else."""

import shutil
from pathlib import Path

import open_clip
from huggingface_hub import snapshot_download
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

from hits.core.errors import CrowdError

# Weights that are read without running code, what tokenizers need, and no other framework's copy.
WANTED = ("*.json", "*.safetensors", "*.txt", "*.model", "1_Pooling/*")
UNREACHABLE = (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError, ValueError)


class NotFetched(CrowdError):
    """Raised if weights could not be downloaded; nothing was registered."""


def fetch_clip(*, model: str, weights: str, into: Path) -> Path:
    """Download the weights that open_clip knows by this tag; return the file. Raises NotFetched."""
    cfg = open_clip.get_pretrained_cfg(model, weights)
    if not cfg:
        known = ", ".join(open_clip.list_pretrained_tags_by_model(model)[:20]) or "none"
        raise NotFetched(f"open_clip knows no weights {weights} of {model}. Known of {model}: {known}.")
    try:
        found = Path(open_clip.download_pretrained(cfg, cache_dir=str(into)))
    except UNREACHABLE as error:
        raise _not_reached(f"{model} {weights}", error) from error
    target = into / f"weights{found.suffix}"
    shutil.copyfile(found, target)
    return target


def fetch_folder(*, model: str, into: Path) -> Path:
    """Download a language model's folder from the hub by its name. Raises NotFetched."""
    try:
        snapshot_download(model, local_dir=into, allow_patterns=list(WANTED))
    except UNREACHABLE as error:
        raise _not_reached(model, error) from error
    shutil.rmtree(into / ".cache", ignore_errors=True)
    return into


def _not_reached(what: str, error: Exception) -> NotFetched:
    return NotFetched(
        f"{what} could not be downloaded ({type(error).__name__}). Check the name and the network, or bring "
        "the weights yourself and name them with --from."
    )
