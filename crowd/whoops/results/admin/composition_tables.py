"""Tables of what the data are made of, how images came into them, and what people earned."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import Count, QuerySet

from crowd.whoops.design.queries.designers import designers_with_figures
from crowd.whoops.images.queries.images import count_states
from crowd.whoops.judge.domain.votes import Share
from crowd.whoops.judge.queries.judgements import WITHOUT_CATEGORY
from crowd.whoops.models import Image, Partner, Project
from crowd.whoops.results.admin.share_cells import OF_ALL, WITH_INTERVAL, share_cells
from crowd.whoops.results.queries.composition import (
    accepted_images,
    annotations_each,
    counts_by,
    filter_verdicts,
    filtered_texts,
    paid_by_task,
    text_lengths,
    way_of,
)
from hits import families
from hits.common.currencies import name_of
from hits.datasets.bars import draw_bars
from hits.datasets.columns import NUMBER, TEXT
from hits.datasets.stat_table import MONEY, StatTable, head

NO_IMAGES = "No image is accepted yet."
LENGTHS = (
    head("Text", TEXT),
    head("Texts"),
    head("Different"),
    head("Words: mean", NUMBER, digits=1),
    head("Median", NUMBER, digits=1),
    head("Fewest"),
    head("Most"),
    head("Different words"),
)
DESIGNERS = (
    head("Designer", TEXT),
    head("Images sent"),
    head("Accepted"),
    OF_ALL,
    head("With them now"),
    head("Owed", MONEY),
    head("Paid", MONEY),
)
FILTERS = (
    head("Filter", TEXT),
    head("Version", TEXT),
    head("Found something in"),
    head("Read"),
    OF_ALL,
    head("It alone"),
)


def composition_tables(project: Project) -> Iterator[StatTable]:
    yield _images(project)
    yield _counted(project, "category__name", name="categories", title="Categories", without=WITHOUT_CATEGORY)
    yield _counted(project, "tool", name="tools", title="What images are made with", without="Not named")
    yield _annotations(project)
    yield _texts(project)
    yield _filtered(project)
    yield _filters(project)
    yield _way(project)
    yield _designers(project)
    yield _wages(project)


def _images(project: Project) -> StatTable:
    states = count_states(project)
    every = sum(states.values())
    rows: list[Sequence[Any]] = [
        (Image.State(state).label, count, Share(right=count, of=every).value)
        for state, count in states.items()
    ]
    accepted = states[Image.State.ACCEPTED]
    partners = Partner.objects.filter(image__in=accepted_images(project)).order_by()
    counted = dict(partners.values_list("kind").annotate(Count("pk")))
    for kind in Partner.Kind:
        count = counted.get(kind, 0)
        rows.append((f"Partners. {kind.label}", count, Share(right=count, of=accepted).value))
    return StatTable(
        name="images",
        title="Images",
        columns=(head("Where they are", TEXT), head("Images"), OF_ALL),
        rows=rows if every else [],
        about="The share of partners is one of accepted images.",
        empty="No image was sent yet.",
    )


def _counted(project: Project, field: str, *, name: str, title: str, without: str) -> StatTable:
    counted = counts_by(accepted_images(project), field)
    every = sum(count for _, count in counted)
    rows = [(label or without, count, Share(right=count, of=every).value) for label, count in counted]
    return StatTable(
        name=name,
        title=title,
        columns=(head("Name", TEXT), head("Images"), OF_ALL),
        rows=rows,
        about="Of accepted images.",
        empty=NO_IMAGES,
        bars=draw_bars((label or without, count, str(count)) for label, count in counted),
    )


def _annotations(project: Project) -> StatTable:
    counted = annotations_each(project)
    every = sum(counted.values())
    return StatTable(
        name="annotations",
        title="Annotations for each image",
        columns=(head("Annotations", TEXT), head("Images"), OF_ALL),
        rows=[(str(times), count, Share(right=count, of=every).value) for times, count in counted.items()],
        about=f"Annotations that count, of accepted images. {project.annotations_wanted} are needed.",
        empty=NO_IMAGES,
    )


def _texts(project: Project) -> StatTable:
    found = text_lengths(project)
    rows: list[Sequence[Any]] = [
        (name, one.texts, one.unique, one.mean, one.middle, one.shortest, one.longest,
         one.vocabulary)
        for name, one in found.items() if one.texts
    ]  # fmt: skip
    return StatTable(
        name="texts",
        title="Lengths of texts",
        columns=LENGTHS,
        rows=rows,
        about="Of annotations that count. Neither case nor punctuation makes words different.",
        empty="No annotation counts yet.",
    )


def _filtered(project: Project) -> StatTable:
    rows = [(name, one.right, one.of, one.value) for name, one in filtered_texts(project).items() if one.of]
    return StatTable(
        name="filter",
        title="What the word filter holds back",
        columns=(head("Text", TEXT), head("With a word of the list"), head("All"), OF_ALL),
        rows=rows,
        about="Of all annotations, including those that were dropped or let through afterwards.",
        empty="Nothing is annotated yet.",
    )


def _filters(project: Project) -> StatTable:
    rows = [
        (one.name, one.version, one.found.right, one.found.of, one.found.value, one.alone)
        for one in filter_verdicts(project)
    ]
    return StatTable(
        name="filters",
        title="What each text filter finds",
        columns=FILTERS,
        rows=rows,
        about="Annotations by the filter that has read them, in each of its versions. “It alone”: no other "
        "filter found anything in them.",
        empty="No filter has read an annotation yet.",
    )


def _way(project: Project) -> StatTable:
    found = way_of(project)
    named = (
        ("Revisions that the control group understood", found.passed),
        ("Control-group answers that saw what is weird", found.seen),
        ("Decided revisions that went back to their designer", found.returned),
        ("Reviews that object", found.objections),
        ("Reviewed images that somebody objects to", found.objected),
    )
    return StatTable(
        name="way",
        title="What images go through",
        columns=(head("Figure", TEXT), head("Count"), head("Of"), *WITH_INTERVAL),
        rows=[(name, one.right, one.of, *share_cells(one)) for name, one in named]
        if any(one.of for _, one in named)
        else [],
        empty="Nobody has looked at an image yet.",
    )


def _designers(project: Project) -> StatTable:
    designers: QuerySet[Any] = designers_with_figures(project)
    rows = [
        (
            f"{str(one.public_id)[:8]}",
            one.sent,
            one.accepted,
            Share(right=one.accepted, of=one.sent).value,
            one.returned,
            one.owed,
            one.paid,
        )
        for one in designers.order_by("-accepted", "pk")
    ]
    return StatTable(
        name="designers",
        title="Designers",
        columns=DESIGNERS,
        rows=rows,
        currency=project.study.currency,
        about="Named by the first characters of their ids; the page of designers has the names.",
        empty="Nobody was invited yet.",
    )


def _wages(project: Project) -> StatTable:
    rows = [(families.get(one.task).name, one.approved, one.hourly) for one in paid_by_task(project)]
    return StatTable(
        name="wages",
        title="What an hour pays",
        columns=(
            head("Task", TEXT),
            head("Approved work with a known time"),
            head(f"{name_of(project.study.currency).capitalize()} an hour", MONEY),
        ),
        rows=rows,
        currency=project.study.currency,
        about="Rewards over the time that the work took, without bonuses. The batches' own pages "
        "have medians and top-ups.",
        empty="No work is approved yet.",
    )
