from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What one check saw, with a line of advice where something is wrong."""

    name: str
    ok: bool
    saw: str
    advice: str = ""
    # Nothing that fails, and nothing that works: it is not set up.
    is_off: bool = False
