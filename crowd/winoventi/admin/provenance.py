"""Provenance of a pair: what the model read, who said what of it and when, and what was made of that."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from crowd.winoventi.domain import KINDS
from crowd.winoventi.domain.prompts import TEXTS, Template
from crowd.winoventi.models import (
    Alternative,
    Choice,
    FilterScore,
    Generic,
    Judgement,
    ModelAnswer,
    Premise,
    Project,
    Reading,
)
from crowd.winoventi.reason_words import QUESTIONS, reason_in_words, warnings_in_words
from hits.admin.projects.project_page import pages_of
from hits.admin.selection import need

WORK = ("worker", "assignment")
OF_ALTERNATIVE = (*WORK, *(f"generic__{name}" for name in ("noun", *WORK)))
MOST = 50


def way_of_generic(request: HttpRequest, generic: Generic) -> HttpResponse:
    alternatives = generic.alternatives.order_by("position", "pk")[:MOST]
    return _show(request, generic, project=generic.project, alternatives=alternatives)


def way_of_alternative(request: HttpRequest, alternative: Alternative) -> HttpResponse:
    premises = alternative.premises.order_by("-is_kept", "pk")[:MOST]
    return _show(
        request,
        alternative.generic,
        project=alternative.project,
        alternative=alternative,
        premises=premises,
    )


def way_of_premise(request: HttpRequest, premise: Premise) -> HttpResponse:
    judgements = _named(Judgement.objects.filter(premise=premise).select_related(*WORK)).order_by("pk")
    answers = ModelAnswer.objects.filter(premise=premise).select_related("evaluation")
    return _show(
        request,
        premise.alternative.generic,
        project=premise.project,
        alternative=premise.alternative,
        premise=premise,
        reason=reason_in_words(premise.reason),
        warnings=warnings_in_words(premise.warnings),
        judgements=[(one, _said(one)) for one in judgements],
        questions=list(QUESTIONS.values()),
        prompts=_prompts(premise),
        answers=answers.order_by("evaluation__name", "pk"),
    )


def _named(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Leave out the workers' external ids: workers appear by pseudonym only."""
    return rows.defer("worker__external_id")


def _show(
    request: HttpRequest,
    generic: Generic,
    *,
    project: Project,
    alternative: Alternative | None = None,
    **more: Any,
) -> HttpResponse:
    pages = pages_of(Project)
    need(request, pages.permission("view"))
    context = {
        "title": f"{generic.statement[:-1]} / {alternative.word}." if alternative else generic.statement,
        "generic": generic,
        "readings": _readings(generic),
        "alternative": alternative,
        "scores": _scores(alternative) if alternative else (),
        "may_see_work": request.user.has_perm("hits.view_assignment"),
        **more,
    }
    return pages.render(request, "admin/winoventi/way.html", context, project=project)


def _readings(generic: Generic) -> list[Mapping[str, Any]]:
    """Words that models put into the four sentences, with the generic itself marked."""
    rows = Reading.objects.filter(noun=generic.noun_id).select_related("rival").order_by("rival", "pk")
    return [
        {
            "rival": row.rival,
            "sentence": TEXTS[Template(row.template)].format(noun=generic.noun.word, word="…"),
            "words": [(word, f"{p:.3g}", word == generic.word) for word, p in row.words],
            "read_at": row.read_at,
            "digest": str(row.provenance.get("weights_sha256", "")),
        }
        for row in rows[:MOST]
    ]


def _scores(alternative: Alternative) -> Iterable[FilterScore]:
    return alternative.scores.select_related("rival").order_by("pk")


def _said(judgement: Judgement) -> Sequence[bool]:
    return [getattr(judgement, question) for question in QUESTIONS]


def _prompts(premise: Premise) -> list[Mapping[str, Any]]:
    """Both prompts of a pair, each with the choices that people made."""
    chosen = _named(Choice.objects.filter(prompt__premise=premise).select_related("prompt", *WORK))
    choices = list(chosen.order_by("pk"))
    return [
        {
            "kind": kind,
            "text": premise.prompt(kind),
            "target": premise.generic if kind == KINDS[0] else premise.exception,
            "choices": [one for one in choices if one.prompt.kind == kind],
        }
        for kind in KINDS
    ]
