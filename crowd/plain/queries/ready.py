"""Ready descriptions to start from."""

from functools import cache
from pathlib import Path

READY = Path(__file__).parent.parent / "ready"


@cache
def ready_descriptions() -> dict[str, str]:
    """Ready descriptions, by the names of their files."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(READY.glob("*.txt"))}
