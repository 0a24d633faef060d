"""What workers wrote beside a reported cue, which a purge of the study erases."""

from crowd.winogavil.models import CueReport
from hits.data import purge_parts
from hits.data.purge_parts import blanking


def register() -> None:
    purge_parts.register(blanking(CueReport, "text", name="What workers wrote about reported cues"))
