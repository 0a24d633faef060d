"""Step 1: what the model puts into the templates, the generics that follow, their perplexity and the cut."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

import structlog
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from crowd.winoventi.associations.domain.generics import Candidate, choose, cuts_by_bend, generics_of
from crowd.winoventi.domain import KS
from crowd.winoventi.domain.prompts import Template, prompt
from crowd.winoventi.domain.words import LONGEST_WORD
from crowd.winoventi.models import Generic, Noun, Project, Reading, Step
from crowd.winoventi.models.model_runs import ModelRun
from crowd.winoventi.services.model_runs import note_standing, open_model_run, open_model_runs
from hits.common.bulk_writes import write_each
from hits.core.errors import RuleBroken
from scoring.models import RegisteredRival
from scoring.services import asking_models
from scoring.services.consulting import Answered, consult

Purpose = ModelRun.Purpose
State = Generic.State
CHOSEN_FROM = (State.FOUND, State.CUT)
AT_ONCE = 500
log = structlog.get_logger()


def start_reading(*, project: Project, now: datetime, rival: RegisteredRival | None = None) -> ModelRun:
    """Ask the project's own model, whose generics are posted, or another one, to be compared with it."""
    reader = rival or project.generics_model
    if reader is None:
        raise RuleBroken("no_model", "Choose the model of step 1 first, under the project's settings.")
    if reader.kind != RegisteredRival.Kind.MASKED:
        raise RuleBroken("wrong_kind", f"{reader} fills no gaps; choose a masked language model.")
    return open_model_run(project=project, rival=reader, purpose=Purpose.READING, now=now)


def read_nouns(*, now: datetime) -> None:
    """The sweep of step 1."""
    _start_by_itself(now=now)
    for model_run in open_model_runs(Purpose.READING):
        _read(model_run, now=now)
    for model_run in open_model_runs(Purpose.RANKING):
        _rank(model_run, now=now)


def unread_nouns(project: Project, rival: RegisteredRival) -> QuerySet[Noun]:
    """Nouns that the model has not read: a noun's readings are written together, so the last one tells."""
    read = Reading.objects.filter(noun=OuterRef("pk"), rival=rival, template=Template.IS_NOT_COMMA)
    return Noun.objects.filter(~Exists(read), project=project)


def unranked(project: Project) -> QuerySet[Generic]:
    return Generic.objects.filter(project=project, state__in=CHOSEN_FROM, perplexity=None)


@transaction.atomic
def cut_generics(project: Project) -> None:
    """Rank all generics, and decide of each one that is not posted yet whether it goes on.

    Perplexity decides; without a model for it, the order of the nouns ranks them, and nothing is cut.
    """
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    stop_generics(project)
    rows = _in_order(project)
    candidates = [
        Candidate(name=row.pk, k=row.k, perplexity=row.perplexity)
        for row in rows
        if row.perplexity is not None
    ]
    cuts = _cuts_of(project, candidates)
    most = None if project.cut_by == Project.CutBy.NOTHING else project.most_posted
    kept = {one.name for one in choose(candidates, cuts=cuts, most=most)}
    cut = {one.name for one in candidates} - kept
    _write_changed(rows, cut=cut, cuts=cuts)


def stop_generics(project: Project) -> None:
    """Stop generics by the current stop list; generics whose word left the list are found again."""
    words = project.stopped_words
    fresh = project.generics.filter(state__in=(State.FOUND, State.CUT, State.STOPPED))
    stopped = [pk for pk, word in fresh.values_list("pk", "word") if word.lower() in words]
    left = project.generics.filter(state=State.STOPPED).exclude(pk__in=stopped)
    left.update(state=State.FOUND, reason="")
    project.generics.filter(pk__in=stopped, state__in=CHOSEN_FROM).update(
        state=State.STOPPED, reason="It is on the stop list."
    )


def _start_by_itself(*, now: datetime) -> None:
    """Start reading nouns that came after the model's last look. One query: mostly there are none."""
    looked = ModelRun.objects.filter(
        Q(is_open=True) | Q(upto__gte=OuterRef("pk")),
        project=OuterRef("project"),
        rival=OuterRef("project__generics_model"),
        purpose=Purpose.READING,
    )
    fresh = Noun.objects.filter(~Exists(looked), project=OuterRef("project"))
    steps = Step.objects.filter(
        Exists(fresh), kind=Step.Kind.GENERICS, by_itself=True, project__generics_model__isnull=False
    )
    for step in steps.select_related("project__generics_model").order_by("pk"):
        start_reading(project=step.project, now=now)


def _newest_noun(project: Project) -> int:
    return project.nouns.order_by("-pk").values_list("pk", flat=True).first() or 0


def _read(model_run: ModelRun, *, now: datetime) -> None:
    project, rival = model_run.project, model_run.rival
    most, newest = max(*KS, *project.ks), _newest_noun(project)
    standing = consult(
        unread_nouns(project, rival),
        ask=lambda noun: [
            asking_models.top_words(prompt(noun.word, template=template), k=most) for template in Template
        ],
        take=lambda answered: _take_readings(answered, project=project, rival=rival, now=now),
        rival=rival,
        now=now,
    )
    if note_standing(model_run, standing, now=now, upto=newest) and rival == project.generics_model:
        _follow(project, now=now)


def _take_readings(
    answered: Sequence[Answered[Noun]], *, project: Project, rival: RegisteredRival, now: datetime
) -> None:
    readings = [
        Reading(
            noun=noun,
            rival=rival,
            template=template.value,
            words=[[one["word"], one["p"]] for one in answer.output],
            provenance=answer.provenance,
            read_at=now,
        )
        for noun, answers in answered
        for template, answer in zip(Template, answers, strict=True)
    ]
    with transaction.atomic():
        Reading.objects.bulk_create(readings, ignore_conflicts=True)
        if rival == project.generics_model:
            find_generics(project, [noun for noun, _ in answered])


def find_generics(project: Project, nouns: Sequence[Noun]) -> None:
    """Add the generics that follow from what was read. Existing ones stay as they are."""
    words: defaultdict[int, dict[Template, list[str]]] = defaultdict(dict)
    read = Reading.objects.filter(noun__in=nouns, rival=project.generics_model)
    for noun, template, row in read.values_list("noun", "template", "words"):
        words[noun][Template(template)] = [word for word, _ in row]
    Generic.objects.bulk_create(
        [
            Generic(project=project, noun=noun, word=word, k=k)
            for noun in nouns
            for word, k in generics_of(words[noun.pk], ks=project.ks).items()
            # Some vocabularies have strings of signs longer than any word.
            if len(word) <= LONGEST_WORD
        ],
        ignore_conflicts=True,
    )


def _follow(project: Project, *, now: datetime) -> None:
    """Have the generics ranked once all nouns are read, or cut them by what is known."""
    if project.perplexity_model is None:
        cut_generics(project)
        return
    open_model_run(project=project, rival=project.perplexity_model, purpose=Purpose.RANKING, now=now)


def _rank(model_run: ModelRun, *, now: datetime) -> None:
    standing = consult(
        unranked(model_run.project).select_related("noun"),
        ask=lambda generic: [asking_models.perplexity(generic.statement)],
        take=_take_perplexities,
        rival=model_run.rival,
        now=now,
    )
    if note_standing(model_run, standing, now=now):
        cut_generics(model_run.project)


def _take_perplexities(answered: Sequence[Answered[Generic]]) -> None:
    for generic, (answer,) in answered:
        generic.perplexity = float(answer.output)
    Generic.objects.bulk_update([generic for generic, _ in answered], ["perplexity"], batch_size=AT_ONCE)


def _in_order(project: Project) -> list[Generic]:
    """Generics by k, the lowest perplexity first, without those that the ranking model has not read."""
    rows = Generic.objects.filter(project=project).exclude(state=State.STOPPED)
    if project.perplexity_model is not None:
        rows = rows.exclude(perplexity=None)
    in_order = rows.order_by("k", Coalesce("perplexity", 0.0), "noun__number", "pk")
    return list(in_order.only("k", "perplexity", "rank", "state", "reason"))


def _cuts_of(project: Project, candidates: Sequence[Candidate]) -> dict[int, float]:
    if project.cut_by == Project.CutBy.HAND:
        return {int(k): float(cut) for k, cut in project.cuts.items()}
    if project.cut_by == Project.CutBy.NOTHING:
        return {}
    cuts = cuts_by_bend(candidates, ks=project.ks)
    Project.objects.filter(pk=project.pk).update(cuts={str(k): cut for k, cut in cuts.items()})
    return cuts


def _write_changed(rows: Sequence[Generic], *, cut: set[int], cuts: dict[int, float]) -> None:
    """Write changed ranks, counted from 1 within each k. Posted generics keep the rank of their posting."""
    ranks: defaultdict[int, int] = defaultdict(int)
    changed = {}
    for row in rows:
        ranks[row.k] += 1
        state, reason = (State.CUT, _why_cut(row, cuts)) if row.pk in cut else (State.FOUND, "")
        after = (ranks[row.k], state.value, reason)
        if row.state in CHOSEN_FROM and after != (row.rank, row.state, row.reason):
            changed[row.pk] = after
    write_each(
        model=Generic,
        columns=("rank", "state", "reason"),
        rows=changed,
        since={"state": [one.value for one in CHOSEN_FROM]},
    )


def _why_cut(row: Generic, cuts: dict[int, float]) -> str:
    cut = cuts.get(row.k)
    if cut is not None and row.perplexity is not None and row.perplexity >= cut:
        return f"Perplexity {row.perplexity:.1f}: those of k = {row.k} are cut at {cut:.1f}."
    return f"Perplexity {row.perplexity:.1f}: more were left than are posted, and they were cut once more."
