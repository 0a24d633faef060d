"""Files of questions with answers, captions or explanations to be judged, read line by line."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256

from crowd.pictures.models import Picture
from crowd.whoops import domain
from crowd.whoops.judge.services.explanation_lists import Offer
from crowd.whoops.models import Image, Partner, Project
from crowd.whoops.models.judged_items import Option, Question
from hits.common.uploads import UploadedColumn, text_within
from hits.common.uploads.file_problems import Problems
from hits.common.uploads.row_reader import Row, read_uploaded
from hits.core.errors import InvalidItems

Kind = Question.Kind
Variant = Question.Variant
MOST_ROWS = 10_000
MOST_BYTES = 2_000_000
LONGEST_ID = 100
LONGEST_TEXT = 500
LONGEST_SOURCE = 120
# Nobody reads more than that on one page.
MOST_EXPLANATIONS = 100
# The end of the key of every answer that is wrong on purpose.
WRONG = ":wrong"
SOURCE = UploadedColumn(
    name="source",
    help="The source: the name of a model. Judges never see it.",
    example="model",
    read=text_within(LONGEST_SOURCE),
)
ID = UploadedColumn(
    name="id",
    help="Optional: the row's name in files. Without it, one is made from the row's content.",
    read=text_within(LONGEST_ID),
    needed=False,
)
IMAGE = UploadedColumn(name="image", help="The number of an accepted image, or its id.", example="1")


def _column(name: str, *, about: str, example: str) -> UploadedColumn:
    return UploadedColumn(name=name, help=about, example=example, read=text_within(LONGEST_TEXT))


COLUMNS: Mapping[str, Sequence[UploadedColumn]] = {
    Kind.VERIFY: (
        IMAGE,
        _column("question", about="A question about the image.", example="What is in the bowl?"),
        _column("answer", about="The answer that is taken for right.", example="A candle"),
        replace(
            SOURCE,
            help="Optional: what made them. Judges never see it.",
            example="maker",
            needed=False,
        ),
        ID,
    ),
    Kind.RATE: (
        IMAGE,
        _column("caption", about="What is said to be in the picture.", example="A candle burns under water."),
        SOURCE,
        UploadedColumn(
            name="variant",
            help="weird for the image itself, normal or natural for a partner. Empty: weird.",
            example="weird",
            needed=False,
        ),
        ID,
    ),
    Kind.EXPLAIN: (
        IMAGE,
        _column("explanation", about="Why the image is weird.", example="A candle needs air to burn."),
        SOURCE,
    ),
}


@dataclass(frozen=True, kw_only=True)
class NewQuestion:
    """A question with the one answer that people say yes or no to."""

    line: int
    key: str
    image: Image
    variant: str
    picture_id: int
    text: str
    answer: str
    source: str

    @property
    def content(self) -> tuple[int, str, str, str, str]:
        return self.image.pk, self.variant, self.text, self.answer, self.source


class ProjectImages:
    """The project's images, by number and by id, with their partners."""

    def __init__(self, project: Project) -> None:
        self.project = project

    @cached_property
    def images(self) -> dict[str, Image]:
        rows = list(self.project.images.select_related("picture").defer("prompt"))
        return {**{str(one.number): one for one in rows}, **{str(one.public_id): one for one in rows}}

    @cached_property
    def partners(self) -> dict[tuple[int, str], int]:
        rows = Partner.objects.filter(image__project=self.project, picture__status=Picture.Status.FIT)
        return {
            (image, kind): picture for image, kind, picture in rows.values_list("image", "kind", "picture")
        }

    def find(self, name: str) -> Image:
        image = self.images.get(name.lower())
        if image is None:
            raise ValueError(f"there is no image “{name:.40}”. Give its number or its id.")
        if image.state != Image.State.ACCEPTED:
            raise ValueError(f"image {image.number} is not accepted, so nobody is asked about it.")
        if image.picture.status != Picture.Status.FIT:
            raise ValueError(f"the picture of image {image.number} is not shown any more.")
        return image

    def picture_of(self, image: Image, variant: str) -> int:
        if variant == Variant.WEIRD:
            return image.picture_id
        picture = self.partners.get((image.pk, variant))
        if picture is None:
            raise ValueError(f"image {image.number} has no {variant} partner.")
        return picture


def read_questions(text: str, *, kind: str, project: Project) -> list[NewQuestion]:
    """Read questions with answers, or captions. Raises InvalidItems, which names every bad line."""
    read = _read_answer if kind == Kind.VERIFY else _read_caption
    found: dict[str, NewQuestion] = {}
    contents: dict[tuple[int, str, str, str, str], int] = {}
    problems, pictured = Problems(InvalidItems), ProjectImages(project)
    for row in _rows(text, kind=kind, problems=problems):
        with problems.of(row.place):
            new = read(row, pictured)
            _say_if_repeated(new, found=found, contents=contents)
            found[new.key] = new
            contents[new.content] = row.line
    _compare(found, kind=kind, project=project, problems=problems)
    problems.refuse()
    return list(found.values())


def read_explanations(text: str, *, project: Project) -> dict[Image, list[Offer]]:
    """Read explanations by image, in the file's order. Raises InvalidItems, which names every bad line."""
    found: dict[Image, list[Offer]] = {}
    problems, pictured = Problems(InvalidItems), ProjectImages(project)
    for row in _rows(text, kind=Kind.EXPLAIN, problems=problems):
        with problems.of(row.place):
            image = pictured.find(row.cells["image"])
            offer = Offer(source=row.cells["source"], text=row.cells["explanation"])
            if offer.source.casefold() in domain.OURS:
                raise ValueError(f"source: “{offer.source}” names our own explanations. Name the model.")
            own = found.setdefault(image, [])
            if len(own) >= MOST_EXPLANATIONS:
                raise ValueError(f"image {image.number} has more than {MOST_EXPLANATIONS} explanations.")
            own.append(offer)
    problems.refuse()
    return found


def known_keys(project: Project, *, kind: str) -> set[str]:
    return set(Question.objects.filter(project=project, kind=kind).values_list("key", flat=True))


def _rows(text: str, *, kind: str, problems: Problems) -> Iterator[Row]:
    return read_uploaded(text.encode(), columns=COLUMNS[kind], most=MOST_ROWS, problems=problems)


def _read_answer(row: Row, pictured: ProjectImages) -> NewQuestion:
    image = pictured.find(row.cells["image"])
    return _new(row, image, image.picture_id, text=row.cells["question"], answer=row.cells["answer"])


def _read_caption(row: Row, pictured: ProjectImages) -> NewQuestion:
    image = pictured.find(row.cells["image"])
    variant = row.cells["variant"].lower() or Variant.WEIRD
    if variant not in Variant.values:
        raise ValueError(f"variant: it is one of {', '.join(Variant.values)}.")
    picture = pictured.picture_of(image, variant)
    return _new(row, image, picture, variant=variant, answer=row.cells["caption"])


def _new(
    row: Row, image: Image, picture: int, *, answer: str, text: str = "", variant: str = Variant.WEIRD
) -> NewQuestion:
    source, name = row.cells["source"], row.cells["id"]
    if name.endswith(WRONG):
        raise ValueError(f"id: it must not end with “{WRONG}”, as our answers that are wrong on purpose do.")
    return NewQuestion(
        line=row.line,
        key=name or content_key(image, variant, text, answer, source),
        image=image,
        variant=variant,
        picture_id=picture,
        text=text,
        answer=answer,
        source=source,
    )


def content_key(image: Image, variant: str, text: str, answer: str, source: str) -> str:
    """Return the name of a question that was given none."""
    content = sha256(f"{text}\n{answer}\n{source}".encode()).hexdigest()[:12]
    return f"{image.number}-{variant}-{content}"


def _say_if_repeated(
    new: NewQuestion,
    *,
    found: Mapping[str, NewQuestion],
    contents: Mapping[tuple[int, str, str, str, str], int],
) -> None:
    if before := contents.get(new.content):
        raise ValueError(f"line {before} says the same.")
    if new.key in found:
        raise ValueError(f"id: “{new.key:.40}” is in line {found[new.key].line} already, with other content.")


def _compare(found: Mapping[str, NewQuestion], *, kind: str, project: Project, problems: Problems) -> None:
    """Report each id that is already there with other content."""
    options = Option.objects.filter(question__project=project, question__kind=kind, number=1)
    for option in options.select_related("question"):
        new = found.get(option.question.key)
        if new and new.content != _content(option):
            problems.say(f"Line {new.line}: “{new.key:.40}” is there already, with other content.")


def _content(option: Option) -> tuple[int, str, str, str, str]:
    question = option.question
    return question.image_id or 0, question.variant, question.text, option.text, option.source
