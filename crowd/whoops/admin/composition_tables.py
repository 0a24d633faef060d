"""What the data are made of, how images came into them, and what people earned."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import Count, QuerySet

from crowd.whoops.admin.charts import draw_bars
from crowd.whoops.admin.tables import SHARE, UNKNOWN, Cell, Table, number, percent, share_cells
from crowd.whoops.domain.votes import Share
from crowd.whoops.models import Image, Partner, Project
from crowd.whoops.queries.composition import (
    accepted_images,
    annotations_each,
    counts_by,
    filtered_texts,
    paid_by_task,
    text_lengths,
    way_of,
)
from crowd.whoops.queries.designers import designers_with_figures
from crowd.whoops.queries.images import count_states
from hits import families

NO_IMAGES = "No image is accepted yet."


def composition_tables(project: Project) -> Iterator[Table]:
    yield _images(project)
    yield _counted(project, "category__name", name="categories", title="Categories", without="None")
    yield _counted(project, "tool", name="tools", title="What images are made with", without="Not named")
    yield _annotations(project)
    yield _texts(project)
    yield _filtered(project)
    yield _way(project)
    yield _designers(project)
    yield _wages(project)


def _images(project: Project) -> Table:
    states = count_states(project)
    every = sum(states.values())
    rows: list[Sequence[Cell]] = [
        (Image.State(state).label, count, percent(Share(right=count, of=every).value))
        for state, count in states.items()
    ]
    accepted = states[Image.State.ACCEPTED]
    partners = Partner.objects.filter(image__in=accepted_images(project)).order_by()
    counted = dict(partners.values_list("kind").annotate(Count("pk")))
    for kind in Partner.Kind:
        count = counted.get(kind, 0)
        rows.append((f"Partners. {kind.label}", count, percent(Share(right=count, of=accepted).value)))
    return Table(
        name="images",
        title="Images",
        header=("Where they are", "Images", "Share"),
        rows=rows if every else [],
        about="Of partners the share is that of accepted images.",
        empty="No image was sent yet.",
    )


def _counted(project: Project, field: str, *, name: str, title: str, without: str) -> Table:
    counted = counts_by(accepted_images(project), field)
    every = sum(count for _, count in counted)
    rows = [
        (label or without, count, percent(Share(right=count, of=every).value)) for label, count in counted
    ]
    return Table(
        name=name,
        title=title,
        header=("Name", "Images", "Share"),
        rows=rows,
        about="Of accepted images.",
        empty=NO_IMAGES,
        bars=draw_bars((label or without, count, str(count)) for label, count in counted),
    )


def _annotations(project: Project) -> Table:
    counted = annotations_each(project)
    every = sum(counted.values())
    return Table(
        name="annotations",
        title="Annotations for each image",
        header=("Annotations", "Images", "Share"),
        rows=[
            (str(times), count, percent(Share(right=count, of=every).value))
            for times, count in counted.items()
        ],
        about=f"Those that count, of accepted images. {project.annotations_wanted} are wanted.",
        empty=NO_IMAGES,
    )


def _texts(project: Project) -> Table:
    found = text_lengths(project)
    rows: list[Sequence[Cell]] = [
        (name, one.texts, one.unique, number(one.mean), number(one.middle), one.shortest, one.longest,
         one.vocabulary)
        for name, one in found.items() if one.texts
    ]  # fmt: skip
    return Table(
        name="texts",
        title="Lengths of texts",
        header=("Text", "Texts", "Different", "Words: mean", "Median", "Fewest", "Most", "Different words"),
        rows=rows,
        about="Of annotations that count. Neither case nor punctuation makes words different.",
        empty="No annotation counts yet.",
    )


def _filtered(project: Project) -> Table:
    rows = [
        (name, one.right, one.of, percent(one.value))
        for name, one in filtered_texts(project).items()
        if one.of
    ]
    return Table(
        name="filter",
        title="What the word filter holds back",
        header=("Text", "With a word of the list", "All", "Share"),
        rows=rows,
        about="Of all annotations, those that were dropped or let through afterwards among them.",
        empty="Nothing is annotated yet.",
    )


def _way(project: Project) -> Table:
    found = way_of(project)
    named = (
        ("Revisions that the control group understood", found.passed),
        ("People of it who saw what is weird", found.seen),
        ("Decided revisions that went back to their designer", found.returned),
        ("Reviewers' words that object", found.objections),
        ("Reviewed images that somebody objects to", found.objected),
    )
    return Table(
        name="way",
        title="What images go through",
        header=("Figure", "Count", "Of", *SHARE),
        rows=[(name, one.right, one.of, *share_cells(one)) for name, one in named]
        if any(one.of for _, one in named)
        else [],
        empty="Nobody has looked at an image yet.",
    )


def _designers(project: Project) -> Table:
    designers: QuerySet[Any] = designers_with_figures(project)
    rows = [
        (
            f"{str(one.public_id)[:8]}",
            one.sent,
            one.accepted,
            percent(Share(right=one.accepted, of=one.sent).value),
            one.returned,
            f"${one.owed:.2f}",
            f"${one.paid:.2f}",
        )
        for one in designers.order_by("-accepted", "pk")
    ]
    return Table(
        name="designers",
        title="Designers",
        header=("Designer", "Images sent", "Accepted", "Share", "With them now", "Owed", "Paid"),
        rows=rows,
        about="Under the first signs of their ids: their page has the names.",
        empty="Nobody was invited yet.",
    )


def _wages(project: Project) -> Table:
    rows = [
        (
            families.get(one.task).name,
            one.approved,
            UNKNOWN if one.hourly is None else f"${one.hourly:.2f}",
        )
        for one in paid_by_task(project)
    ]
    return Table(
        name="wages",
        title="What an hour pays",
        header=("Task", "Approved work with a known time", "Dollars an hour"),
        rows=rows,
        about="Rewards over the time that the work took, without bonuses. The batches' own pages "
        "have medians and top-ups.",
        empty="No work is approved yet.",
    )
