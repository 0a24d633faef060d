"""The model of a paper: the rival that a study plays against, or the model that a family's project uses."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django import forms

from crowd.papers.parts.part_base import Cell, SetupPart, SetupRow, in_place
from hits.families.paper_figures import PaperRival
from hits.identity.models.users import User
from scoring.models import RegisteredRival
from scoring.services.rival_selection import name_of_paid_rival, play_against

LEAVE = ""
FIXED = "the project has used it already"


class RivalPart(SetupPart):
    title = "Model"
    key = "rival"

    @property
    def wanted(self) -> PaperRival | None:
        return self.paper.rival

    @property
    def about(self) -> str:  # type: ignore[override]
        if self.wanted and self.wanted.settings:
            return "Goes into the settings of the project."
        return "Bonuses are paid on it from now on. What was asked before stays with the rival that it had."

    def permissions(self) -> Sequence[str]:
        if self.wanted is None:
            return ()
        return () if self.wanted.settings else ("scoring.change_studyrival",)

    def rows(self) -> Sequence[SetupRow]:
        wanted = self.wanted
        if wanted is None:
            return []
        offered = self._offered(wanted)
        now, fetched = self._now(wanted), [rival for rival in offered if is_of_paper(rival, wanted)]
        stated = next((rival.name for rival in fetched if rival.name == now), "")
        stated = stated or (fetched[0].name if fetched else wanted.in_words)
        names = [(rival.name, f"{rival.name} ({rival.get_kind_display()})") for rival in offered]
        cell = Cell(
            key=self.key,
            label=self.title.lower(),
            stated=stated,
            now=now,
            field=forms.ChoiceField(choices=[(LEAVE, "as it is now"), *names], required=False),
            suggested=stated if fetched else LEAVE,
            kept=FIXED if self._fixed(wanted) else "",
        )
        return [SetupRow(name=wanted.in_words, origin=self.paper.place(wanted.origin), cells=[cell])]

    def is_fetched(self) -> bool:
        wanted = self.wanted
        return wanted is None or any(is_of_paper(rival, wanted) for rival in self._offered(wanted))

    def note(self) -> str:
        wanted = self.wanted
        if wanted is None or self.is_fetched():
            return ""
        now = self._now(wanted)
        meanwhile = f"Until then it stays {now}." if now else "Until then there is none."
        return (
            f"{wanted.in_words} is not fetched here, so this cannot be put in place now. {meanwhile} "
            f"Somebody with access to the server runs “{wanted.command}”; then open this page again."
        )

    def put(self, values: Mapping[str, Any], *, by: User, now: datetime) -> list[str]:
        wanted, chosen = self.wanted, values.get(self.key)
        changed = self.changed({self.key: chosen}) if chosen else []
        if wanted is None or not changed:
            return []
        rival = RegisteredRival.objects.get(name=chosen)
        if wanted.settings and self.family.project:
            self.family.project.change(
                project=self.family.project.open(study=self.study),
                values=dict.fromkeys(wanted.settings, rival),
                by=by,
                now=now,
            )
        else:
            play_against(study=self.study, rival=rival, by=by, now=now, paid=True)
        return in_place(changed, of=self.title)

    def _offered(self, wanted: PaperRival) -> list[RegisteredRival]:
        kinds = [wanted.kind] if wanted.settings else RegisteredRival.SCORE_PICTURES
        return list(RegisteredRival.objects.filter(kind__in=kinds).order_by("name"))

    def _now(self, wanted: PaperRival) -> str | None:
        if not wanted.settings:
            return name_of_paid_rival(self.study)
        project = self.family.project.find(self.study) if self.family.project else None
        models = {getattr(project, name, None) for name in wanted.settings}
        only = models.pop() if len(models) == 1 else None
        return only.name if only else None

    def _fixed(self, wanted: PaperRival) -> bool:
        project = self.family.project.find(self.study) if self.family.project else None
        if project is None or self.family.project is None or not wanted.settings:
            return False
        return bool(self.family.project.fixed(project) & {*wanted.settings})


class TaggerPart(RivalPart):
    title = "Tagger"
    key = "tagger"

    @property
    def wanted(self) -> PaperRival | None:
        return self.paper.tagger


def is_of_paper(rival: RegisteredRival, wanted: PaperRival) -> bool:
    is_model = rival.kind == wanted.kind and (not wanted.models or rival.model in wanted.models)
    return is_model and (not wanted.source or rival.source == wanted.source)
