"""The page on people: gendered words in captions, and the estimate of who the pictures show."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, reverse

from crowd.winoground.admin.example_finding import VIEW, Pages
from crowd.winoground.domain.gendered_words import Shown
from crowd.winoground.models import Example, Project
from crowd.winoground.queries.examples import examples_for, sees_own_only
from crowd.winoground.queries.people_shown import (
    GenderedExample,
    PictureMetadata,
    estimate,
    gendered_examples,
    picture_metadata,
)
from crowd.winoground.queries.scoring import SCORED
from hits.admin.selection import signed_in
from hits.admin.stat_tables import send_table
from hits.core.domain.days import moment_in_words
from hits.datasets.columns import TEXT
from hits.datasets.stat_table import SHARE, ShownCell, StatTable, head
from hits.identity.models.users import User

MOST_SHOWN = 100
CAPTIONS = (
    head("Example", TEXT),
    head("State", TEXT),
    head("Captions", TEXT),
    head("Gendered words", TEXT),
    head("To be confirmed", TEXT),
    head("Confirmed by", TEXT),
    head("Why", TEXT),
)
ESTIMATE = (
    head("Who the words name", TEXT),
    head("Asked of workers"),
    head("Share", SHARE, name="share_of_asked"),
    head("All pictures"),
    head("Share", SHARE, name="share_of_all"),
    head("In the paper"),
    head("Share", SHARE, name="share_in_the_paper"),
)
METADATA = (
    head("Picture", TEXT),
    head("", TEXT, name="sha256"),
    head("Title and description", TEXT),
    head("Words about people", TEXT),
    head("Who they name", TEXT),
)
NAMES = {
    Shown.WOMEN: "Only women",
    Shown.MEN: "Only men",
    Shown.NEUTRAL: "Only people without a gender",
    Shown.SEVERAL: "Women and men",
}
# Pictures of the paper's 800 by the words in their metadata.
IN_PAPER = {Shown.WOMEN: 152, Shown.MEN: 123, Shown.NEUTRAL: 22, Shown.SEVERAL: 74}
ALL_NAMED = "All with such a word"
ABOUT_CAPTIONS = (
    "Captions describe people without their gender. An example with a gendered word becomes ready only after "
    "somebody who may change it has let the word stay. Examples that were ready or asked before that "
    "rule are listed, too."
)
ABOUT_ESTIMATE = (
    "Titles and descriptions of the pictures, searched for words about women (girl, her), men (boy, him) and "
    "people without a gender (them). Each picture counts once; examples that are withdrawn do not count."
)
NOTE = (
    "A rough estimate, no more: most people are named without a gender (diver, friend), and the words are "
    "guesses of those who wrote them. A neutral word beside a gendered one changes nothing. The paper does "
    "not publish its lists of words, so ours differ from them."
)


def people_urls(pages: Pages) -> list[URLPattern]:
    return [
        pages.at("<int:pk>/people/", page_view, "people"),
        pages.at("<int:pk>/people/<slug:name>.csv", file_view, "people_file"),
        pages.at("<int:pk>/people/<slug:name>.json", partial(file_view, form="json"), "people_json"),
    ]


def page_view(pages: Pages, request: HttpRequest, pk: int) -> HttpResponse:
    project = pages.find(request, pk, VIEW)
    user = signed_in(request)
    context = {
        "title": "People in captions and pictures",
        "tables": people_tables(project, user),
        "sees_own_only": sees_own_only(user),
    }
    return pages.render(request, "admin/winoground/people.html", context, project=project)


def file_view(pages: Pages, request: HttpRequest, pk: int, name: str, form: str = "csv") -> HttpResponseBase:
    project = pages.find(request, pk, VIEW)
    return send_table(people_tables(project, signed_in(request)), name, form=form, study=project.study)


def people_tables(project: Project, user: User) -> list[StatTable]:
    """Tables over the examples that this person may see."""
    examples = examples_for(user).filter(project=project)
    pictures = list(picture_metadata(examples))
    return [
        _captions_table(gendered_examples(examples)),
        estimate_table(pictures, asked=list(picture_metadata(examples.filter(state=SCORED)))),
        _pictures_table(pictures),
    ]


def estimate_table(pictures: Sequence[PictureMetadata], *, asked: Sequence[PictureMetadata]) -> StatTable:
    """The table of Appendix F beside the paper's numbers. `asked`: the pictures of examples asked about.

    A picture may be in a draft, too, so the asked ones are not told from the example that shows it first.
    """
    found, asked_of, paper = estimate(pictures), estimate(asked), sum(IN_PAPER.values())
    rows: list[Sequence[Any]] = [
        (NAMES[shown], asked_of.by[shown], _share(asked_of.by[shown], asked_of.named), found.by[shown],
         _share(found.by[shown], found.named), IN_PAPER[shown], _share(IN_PAPER[shown], paper))
        for shown in Shown
    ]  # fmt: skip
    rows.append((ALL_NAMED, asked_of.named, None, found.named, None, paper, None))
    return StatTable(
        name="people-in-pictures",
        title="Who the pictures show, by their metadata",
        columns=ESTIMATE,
        rows=rows if found.told else [],
        about=f"{ABOUT_ESTIMATE} {found.told} of {found.pictures} pictures have a title or a description.",
        empty="No picture has a title or description yet. Authors fill them in on the form of an example.",
        note=NOTE,
    )


def _captions_table(found: Sequence[GenderedExample]) -> StatTable:
    rows = [_caption_row(one) for one in found]
    return StatTable(
        name="gendered-captions",
        title="Gendered words in captions",
        columns=CAPTIONS,
        rows=rows,
        page_rows=rows[:MOST_SHOWN],
        about=ABOUT_CAPTIONS,
        empty="No caption has a gendered word.",
        note=_more(rows),
    )


def _caption_row(one: GenderedExample) -> Sequence[Any]:
    example, last = one.example, _last(one.example)
    return (
        ShownCell(words=str(example), url=_address(example)),
        example.get_state_display(),
        f"A: {example.caption_0 or '–'} B: {example.caption_1 or '–'}",
        ", ".join(one.words),
        ", ".join(one.open) or "–",
        f"{last.by}, {moment_in_words(last.at)} UTC" if last else "–",
        last.reason if last else "–",
    )


def _last(example: Example) -> Any:
    return next(iter(list(example.gendered_confirmations.all())[::-1]), None)


def _pictures_table(pictures: Sequence[PictureMetadata]) -> StatTable:
    told = [one for one in pictures if one.text]
    rows = [
        (
            ShownCell(words=f"{one.example}, picture {'AB'[one.side]}", url=_address(one.example)),
            one.sha256,
            one.text,
            ", ".join(one.words) or "–",
            NAMES[one.shown] if one.shown else "–",
        )
        for one in told
    ]
    return StatTable(
        name="pictures",
        title="Pictures and their metadata",
        columns=METADATA,
        rows=rows,
        page_rows=rows[:MOST_SHOWN],
        empty="Nothing is written about any picture yet.",
        exact=True,
        note=_more(rows),
    )


def _more(rows: Sequence[Any]) -> str:
    """The note on rows that the page leaves out."""
    more = len(rows) - MOST_SHOWN
    return f"The files have {more} more." if more > 0 else ""


def _share(count: int, of: int) -> Fraction | None:
    return Fraction(count, of) if of else None


def _address(example: Example) -> str:
    return reverse("admin:winoground_show_example", args=[example.project_id, example.public_id])
