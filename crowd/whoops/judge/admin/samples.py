"""Samples of questions with answers: drawn after a look, and their progress with files."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, reverse

from crowd.whoops.images.admin.addresses import page_url
from crowd.whoops.judge.admin.judging_cards import ADD, SEED_HELP
from crowd.whoops.judge.domain.votes import Agreement
from crowd.whoops.judge.queries.samples import (
    SampledOption,
    SampleProgress,
    judges_of,
    samples_with_progress,
)
from crowd.whoops.judge.services.verification_sample import PlannedSample, draw_sample, plan_sample
from crowd.whoops.models import Project
from hits.admin.actions import Action, Call, Confirm, Outcome, emphasize
from hits.admin.actions.action_pages import ActionPages
from hits.admin.page_parts import read_number
from hits.admin.projects.project_actions import project_actions
from hits.admin.projects.project_page import ProjectPages
from hits.admin.stat_tables import send_table
from hits.core.domain.counted_nouns import plural
from hits.core.domain.days import day_in_words, moment_in_words
from hits.datasets.columns import TEXT
from hits.datasets.stat_table import SHARE, UNKNOWN, ShownCell, StatTable, head

LOOK = "whoops.view_question"
KEY = "sample"
# The paper verifies so many.
IN_PAPER = 300
MOST_SHOWN = 100
ABOUT = (
    "Questions are drawn by lot from those that were imported to wait for a sample, and workers are asked "
    "about them. The sample keeps the seed, and a digest of the questions it was drawn from."
)
SAMPLES = (
    head("Sample", TEXT),
    head("Seed"),
    head("Drawn"),
    head("From"),
    head("", TEXT, name="pool_sha256"),
    head("Wrong on purpose"),
    head("With all judges"),
    head("Of"),
    head("Majority is right", SHARE),
    head("All agree", SHARE),
    head("Drawn by", TEXT),
    head("", TEXT, name="drawn_at"),
)
JUDGES = (
    head("Worker", TEXT),
    head("Questions verified"),
    head("Said yes"),
    head("Last", TEXT),
)
QUESTIONS = (
    head("Place", TEXT),
    head("Question", TEXT),
    head("Answer", TEXT),
    head("Image"),
    head("Taken for", TEXT),
    head("Yes"),
    head("Judges"),
    head("Majority", TEXT),
)


class SampleForm(forms.Form):
    wanted = forms.IntegerField(
        label="Questions",
        initial=IN_PAPER,
        min_value=1,
        max_value=100_000,
        help_text=f"Without the wrong answers that are mixed in. The paper verifies {IN_PAPER}.",
    )
    seed = forms.IntegerField(initial=1, min_value=0, max_value=2**31, help_text=SEED_HELP)


def sample_urls(pages: ProjectPages[Any]) -> list[URLPattern]:
    at = "<int:pk>/judging/samples/"
    return [
        pages.at(at, samples_view, "samples"),
        pages.at(f"{at}draw/", draw_view, "draw_sample"),
        pages.at(f"{at}<slug:name>.csv", file_view, "samples_file"),
        pages.at(f"{at}<slug:name>.json", partial(file_view, form="json"), "samples_json"),
    ]


def draw_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    return _pages(pages).answer(request, KEY, pk=pk)


def samples_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    """Show all samples, and the questions and judges of one of them: the newest unless one is chosen."""
    project = pages.find(request, pk, LOOK)
    context = {
        "title": "Samples for verification",
        "tables": _tables(project, request),
        "query": request.GET.urlencode(),
        "may_draw": request.user.has_perm(ADD),
    }
    return pages.render(request, "admin/whoops/samples.html", context, project=project)


def file_view(
    pages: ProjectPages[Any], request: HttpRequest, pk: int, name: str, form: str = "csv"
) -> HttpResponseBase:
    project = pages.find(request, pk, LOOK)
    return send_table(_tables(project, request), name, form=form, study=project.study)


def _tables(project: Project, request: HttpRequest) -> list[StatTable]:
    return sample_tables(project, read_number(request.GET.get("sample", "")))


def sample_tables(project: Project, number: int | None) -> list[StatTable]:
    """Return the table of all samples, and those of the sample with this number or of the newest."""
    found = samples_with_progress(project)
    chosen = next((one for one in found if one.sample.pk == number), next(iter(found), None))
    return [_samples(found), *([_judges(chosen), _questions(chosen)] if chosen else [])]


def _samples(found: Sequence[SampleProgress]) -> StatTable:
    return StatTable(
        name="samples",
        title="Samples",
        columns=SAMPLES,
        rows=[_sample_row(one, one.agreement) for one in found],
        about="Agreement is over questions with all their judges; withdrawn ones do not count.",
        empty="No sample is drawn yet. Import questions and answers that wait for one, and draw it.",
        exact=True,
    )


def _sample_row(one: SampleProgress, agreement: Agreement) -> Sequence[Any]:
    sample = one.sample
    url = f"{page_url('samples', sample.project)}?sample={sample.pk}"
    return (
        ShownCell(words=f"Sample {sample.pk}", url=url),
        sample.seed,
        sample.wanted,
        sample.pool,
        sample.pool_sha256,
        one.wrong,
        one.judged,
        len(one.options),
        agreement.right.value,
        agreement.unanimous.value,
        ShownCell(words=str(sample.drawn_by), below=day_in_words(sample.drawn_at)),
        f"{moment_in_words(sample.drawn_at)} UTC",
    )


def _judges(chosen: SampleProgress) -> StatTable:
    rows = [
        (
            one.pseudonym,
            one.questions,
            one.yes,
            f"{moment_in_words(one.last_at)} UTC" if one.last_at else UNKNOWN,
        )
        for one in judges_of(chosen.sample)
    ]
    return StatTable(
        name="judges",
        title=f"Who verified sample {chosen.sample.pk}",
        columns=JUDGES,
        rows=rows,
        about="Work that is kept out or rejected does not count.",
        empty="Nobody has verified anything of it yet. Launch a batch to ask workers.",
    )


def _questions(chosen: SampleProgress) -> StatTable:
    rows = [_question_row(one) for one in chosen.options]
    more = len(rows) - MOST_SHOWN
    return StatTable(
        name="questions",
        title=f"Questions of sample {chosen.sample.pk}",
        columns=QUESTIONS,
        rows=rows,
        page_rows=rows[:MOST_SHOWN],
        empty="All its questions are withdrawn.",
        note=f"The files have {more} more." if more > 0 else "",
    )


def _question_row(one: SampledOption) -> Sequence[Any]:
    question, majority = one.question, one.votes.majority
    said = {True: "right", False: "wrong", None: "split"}[majority]
    return (
        ShownCell(
            words=str(question.sample_place), url=reverse("admin:whoops_question_change", args=[question.pk])
        ),
        question.text,
        one.option.text,
        question.image.number if question.image else None,
        "right" if one.option.label else "wrong on purpose",
        one.votes.yes,
        one.votes.of,
        UNKNOWN if one.is_open else said,
    )


def _pages(pages: ProjectPages[Any]) -> ActionPages[Project]:
    return project_actions(
        pages,
        {KEY: DRAW},
        find=lambda request, pk: [pages.find(request, pk, ADD)],
        back=lambda project: page_url("samples", project),
    )


def _ask(call: Call[Project]) -> Confirm:
    about = Confirm(title="Draw a sample for verification", text=ABOUT, button="Draw the sample")
    if not call.values:
        return about
    planned, wanted = plan_sample(project=call.row, **call.values), call.values["wanted"]
    waiting = f"{plural(len(planned.pool), 'question')} wait for a sample."
    if len(planned.drawn) < wanted:
        why = emphasize("{} {why}", "Nothing would be drawn.", why=waiting)
        return replace(about, consequences=[why], is_blocked=True)
    asked = emphasize(
        "{} {judges} people look at each.", f"{plural(wanted, 'question')}.", judges=call.row.judges_wanted
    )
    cost = "Nothing is spent: workers are asked once a batch is launched."
    return replace(about, consequences=[asked, waiting, _wrong(planned)], cost=cost)


def _wrong(planned: PlannedSample) -> str:
    negatives = len(planned.negatives)
    lack = planned.negatives_wanted - negatives
    tail = f" {planned.negatives_wanted} are needed; no more can be drawn from what there is." if lack else ""
    return f"{plural(negatives, 'wrong answer')} beside them.{tail}"


def _draw(call: Call[Project]) -> Outcome:
    sample = draw_sample(project=call.row, by=call.by, now=call.now, **call.values)
    return Outcome(
        said=f"{sample}: drawn, and waiting for workers. Launch a batch to ask.",
        history=f"{sample} was drawn from {sample.pool}.",
        to=f"{page_url('samples', call.row)}?sample={sample.pk}",
    )


DRAW = Action(
    label="Draw a sample",
    form=lambda data, _: SampleForm(data),
    looks_first="Count",
    confirm=_ask,
    run=_draw,
)
