"""The parts of a set-up, in the order in which their rows are locked: project, gates, and then the study."""

from collections.abc import Sequence

from crowd.family import Family
from crowd.papers.parts.bonus_part import BonusPart
from crowd.papers.parts.gates_part import GatesPart
from crowd.papers.parts.part_base import Cell, SetupPart, SetupRow
from crowd.papers.parts.rival_part import RivalPart, TaggerPart
from crowd.papers.parts.settings_part import SettingsPart
from crowd.papers.parts.terms_part import RequirementsPart, TermsPart
from hits.families.paper_figures import Paper
from hits.studies.models import Study

PARTS: Sequence[type[SetupPart]] = (
    SettingsPart, GatesPart, BonusPart, TermsPart, RequirementsPart, RivalPart, TaggerPart,
)  # fmt: skip
# The order in which somebody reads them.
READ: Sequence[type[SetupPart]] = (
    BonusPart, TermsPart, RequirementsPart, GatesPart, RivalPart, TaggerPart, SettingsPart,
)  # fmt: skip

__all__ = ["Cell", "SetupPart", "SetupRow", "in_reading_order", "parts_of"]


def parts_of(family: Family, *, paper: Paper, study: Study) -> list[SetupPart]:
    return [part(family=family, paper=paper, study=study) for part in PARTS]


def in_reading_order(parts: Sequence[SetupPart]) -> list[SetupPart]:
    return sorted(parts, key=lambda part: READ.index(type(part)))
