"""Parts of speech of the special words of valid pairs: a tagger is asked, and a person may correct it."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from crowd.winoventi.domain import EXCEPTION, KINDS
from crowd.winoventi.domain.parts_of_speech import NAMES, OTHER
from crowd.winoventi.models import Premise, Project, WordTag
from crowd.winoventi.models.model_runs import ModelRun
from crowd.winoventi.services.model_runs import note_standing, open_model_run
from hits.core import audit_trail
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from scoring.models import RegisteredRival
from scoring.models.model_questions import ModelQuestion
from scoring.services import asking_models
from scoring.services.consulting import Answered, Standing, ask_failed_anew, consult

TAGGING = ModelRun.Purpose.TAGGING


def tag_words(*, now: datetime) -> None:
    """The sweep that has words of new valid pairs tagged, and takes the answers. Mostly one query."""
    run = ModelRun.objects.filter(project=OuterRef("pk"), rival=OuterRef("tagger"), purpose=TAGGING)
    unfinished = run.filter(Q(is_open=True) | Q(failed__gt=0))
    projects = Project.objects.filter(
        Exists(unfinished) | Exists(_untagged().filter(project=OuterRef("pk"))), tagger__isnull=False
    )
    for project in projects.select_related("tagger").order_by("pk"):
        if project.tagger is not None:
            _tag_words_of(project, project.tagger, now=now)


def tag_anew(*, project: Project, now: datetime) -> int:
    """Ask the tagger again about words that it could not tag; return how many."""
    if project.tagger is None:
        raise RuleBroken("no_tagger", "Choose a tagger first, under the project's settings.")
    return ask_failed_anew(untagged_pairs(project), ask=_questions, rival=project.tagger, now=now)


def untagged_pairs(project: Project) -> QuerySet[Premise]:
    """Valid pairs whose words the project's tagger has not told yet."""
    return _untagged().filter(project=project)


def correct_tag(*, tag: WordTag, part: str, by: User, now: datetime) -> bool:
    """Set the part of speech by hand, whichever tagger is asked. False if it stands so already."""
    rows = _tags_of_word(tag).exclude(part=part, corrected_at__isnull=False)
    with transaction.atomic():
        if not rows.update(part=part, corrected_by=by, corrected_at=now):
            return False
        said = f"{_named(tag)}: {NAMES[part]}; the tagger says {tag.get_tagged_display()}."
        audit_trail.note(
            "winoventi.part_of_speech_corrected", said, by=by, now=now, study=tag.premise.project.study
        )
    return True


def drop_correction(*, tag: WordTag, by: User, now: datetime) -> bool:
    """Let each tagger's part of speech count again. False if no correction was there."""
    rows = _tags_of_word(tag).filter(corrected_at__isnull=False)
    with transaction.atomic():
        if not rows.update(part=F("tagged"), corrected_by=None, corrected_at=None):
            return False
        said = f"{_named(tag)}: {tag.get_tagged_display()} again, as the tagger says."
        audit_trail.note(
            "winoventi.part_of_speech_restored", said, by=by, now=now, study=tag.premise.project.study
        )
    return True


def _tags_of_word(tag: WordTag) -> QuerySet[WordTag]:
    """What every tagger has told of this word."""
    return WordTag.objects.filter(premise=tag.premise_id, kind=tag.kind)


def _named(tag: WordTag) -> str:
    return f"The part of speech of “{tag.word}” in the {tag.kind} sentence of pair {tag.premise_id}"


def _untagged() -> QuerySet[Premise]:
    """Both tags of a pair are written together, so the last one tells."""
    tagged = WordTag.objects.filter(premise=OuterRef("pk"), rival=OuterRef("project__tagger"), kind=EXCEPTION)
    return Premise.objects.filter(Premise.HAS_BRACKET, ~Exists(tagged), state=Premise.State.VALID)


def _tag_words_of(project: Project, rival: RegisteredRival, *, now: datetime) -> None:
    standing = consult(
        untagged_pairs(project),
        ask=_questions,
        take=lambda answered: _take(answered, rival=rival, now=now),
        rival=rival,
        now=now,
    )
    _note(project, rival, standing, now=now)


def _note(project: Project, rival: RegisteredRival, standing: Standing, *, now: datetime) -> None:
    """Write how far the tagger is, unless that is known already."""
    run = ModelRun.objects.filter(project=project, rival=rival, purpose=TAGGING).first()
    is_news = run is None or any(getattr(run, name) != value for name, value in standing.noted.items())
    if run is None or (is_news and not run.is_open):
        run = open_model_run(project=project, rival=rival, purpose=TAGGING, now=now)
    if run.is_open:
        note_standing(run, standing, now=now)


def _questions(premise: Premise) -> list[asking_models.NewQuestion]:
    """One question for each sentence of the pair."""
    start = premise.text.place_of_bracket
    words = (premise.generic_word, premise.exception_word)
    return [
        asking_models.part_of_speech(premise.context(kind), start=start, end=start + len(word))
        for kind, word in zip(KINDS, words, strict=True)
    ]


@transaction.atomic
def _take(answered: Sequence[Answered[Premise]], *, rival: RegisteredRival, now: datetime) -> None:
    """Write the tags. What a person has said of a word holds whatever tagger reads it."""
    premises = [premise for premise, _ in answered]
    said = {
        (one.premise_id, one.kind): one
        for one in WordTag.objects.filter(premise__in=premises, corrected_at__isnull=False).order_by(
            "corrected_at"
        )
    }
    WordTag.objects.bulk_create(
        [
            _tag(premise, kind, answer, said.get((premise.pk, kind)), rival=rival, now=now)
            for premise, answers in answered
            for kind, answer in zip(KINDS, answers, strict=True)
        ],
        ignore_conflicts=True,
    )


def _tag(
    premise: Premise,
    kind: str,
    answer: ModelQuestion,
    said: WordTag | None,
    *,
    rival: RegisteredRival,
    now: datetime,
) -> WordTag:
    tagged = answer.output["part"] if answer.output["part"] in NAMES else OTHER
    return WordTag(
        premise=premise,
        kind=kind,
        rival=rival,
        tagged=tagged,
        fine_tag=answer.output["tag"],
        part=said.part if said else tagged,
        corrected_by_id=said.corrected_by_id if said else None,
        corrected_at=said.corrected_at if said else None,
        provenance=answer.provenance,
        tagged_at=now,
    )
