"""Files of questions with answers, captions and explanations: what is imported, how bad lines are named."""

import json

import pytest

from crowd.whoops import domain
from crowd.whoops.judge.services.posting_questions import bring_back_question, withdraw_question
from crowd.whoops.judge.services.question_files import MOST_EXPLANATIONS, MOST_ROWS
from crowd.whoops.judge.services.question_import import preview_import
from crowd.whoops.models import Image
from crowd.whoops.models.judged_items import Option, Question
from hits.core.errors import InvalidItems, RuleBroken
from tests.crowd.whoops.making_images import make_image, make_project
from tests.crowd.whoops.making_questions import (
    ANSWERS,
    CAPTIONS,
    EXPLANATIONS,
    bring_in,
    make_data,
    make_partner,
    questions,
)
from tests.factories import NOW

pytestmark = pytest.mark.django_db
QUOTED = "Put a field that holds the separator into quotation marks."
NOT_CLOSED = "Look for a quotation mark that is not closed."
FILES = {domain.VERIFY: ANSWERS, domain.RATE: CAPTIONS, domain.EXPLAIN: EXPLANATIONS}


def problems(project: object, kind: str, text: str) -> list[str]:
    """Problems named when a file is refused; asserts that nothing of it is stored."""
    with pytest.raises(InvalidItems) as refusal:
        bring_in(project, kind, text)  # type: ignore[arg-type]
    assert not Question.objects.exists()
    return refusal.value.problems


def as_json_lines(text: str) -> str:
    heading, *lines = text.splitlines()
    names = heading.split(",")
    return "\n".join(json.dumps(dict(zip(names, line.split(","), strict=True))) for line in lines)


def rows(kind: str) -> list[tuple[int, str, str, str, str, bool | None]]:
    found = Option.objects.filter(question__kind=kind).select_related("question__image")
    return sorted(
        (one.question.image.number, one.question.variant, one.question.text, one.text, one.source, one.label)
        for one in found
        if one.question.image and one.label is not False
    )


@pytest.mark.parametrize("is_json", [False, True])
def test_answers_are_taken_for_right(is_json: bool) -> None:
    project = make_data(negatives=0)

    count = bring_in(project, domain.VERIFY, as_json_lines(ANSWERS) if is_json else ANSWERS)

    assert count == 4
    assert rows(domain.VERIFY) == [
        (1, "weird", "Is there water?", "yes", "machine", True),
        (1, "weird", "What is in the bowl?", "A candle", "machine", True),
        (2, "weird", "What is on the road?", "A whale", "machine", True),
        (3, "weird", "What is in the sky?", "A piano", "machine", True),
    ]
    assert all(one.item and one.item.wanted == 3 for one in questions(project, domain.VERIFY))


@pytest.mark.parametrize("is_json", [False, True])
def test_captions_are_about_the_picture_of_their_variant(is_json: bool) -> None:
    project = make_data()
    make_partner(project.images.get(number=1), kind="natural")
    text = CAPTIONS + "1,natural,A candle on a table.,machine\n"

    bring_in(project, domain.RATE, as_json_lines(text) if is_json else text)

    assert rows(domain.RATE) == [
        (1, "natural", "", "A candle on a table.", "machine", None),
        (1, "normal", "", "A fish swims in a bowl.", "machine", None),
        (1, "weird", "", "A candle burns under water.", "machine", None),
        (2, "weird", "", "A whale on a road.", "other", None),
    ]
    image = project.images.get(number=1)
    pictures = {one.kind: one.picture for one in image.partners.all()} | {"weird": image.picture}
    for question in questions(project, domain.RATE):
        if question.image == image:
            assert question.picture == pictures[question.variant]


@pytest.mark.parametrize("kind", FILES)
def test_same_rows_once_more_add_nothing(kind: str) -> None:
    project = make_data()
    first = bring_in(project, kind, FILES[kind])
    before = Question.objects.count(), Option.objects.count()

    preview = preview_import(project=project, kind=kind, text=FILES[kind], seed=2)
    again = bring_in(project, kind, FILES[kind], seed=2)

    assert first == preview.known == len(FILES[kind].splitlines()) - 1
    assert (again, preview.new, preview.negatives) == (0, 0, 0)
    assert (Question.objects.count(), Option.objects.count()) == before


@pytest.mark.parametrize("kind", FILES)
def test_preview_says_what_is_added_and_adds_nothing(kind: str) -> None:
    project = make_data()

    preview = preview_import(project=project, kind=kind, text=FILES[kind], seed=1)

    assert not Question.objects.exists()
    assert preview.new == bring_in(project, kind, FILES[kind]) == len(preview.sample)
    assert preview.images == len({image for image, *_ in preview.sample})
    wrong = Option.objects.filter(label=False).count()
    assert wrong == preview.negatives == (1 if kind == domain.VERIFY else 0)


def test_quarter_of_what_is_asked_is_wrong_on_purpose() -> None:
    project = make_data(images=12)
    lines = [f"{n},What is it?,thing {n},maker" for n in range(1, 13)]

    bring_in(project, domain.VERIFY, "\n".join(["image,question,answer,source", *lines]))

    wrong = Option.objects.filter(label=False).select_related("question__image")
    assert (wrong.count(), Option.objects.count()) == (4, 16)
    for option in wrong:
        image = option.question.image
        assert image is not None
        assert option.text != f"thing {image.number}"
        assert option.text.startswith("thing ")
        assert option.question.key.endswith(":wrong")
        assert option.question.picture == image.picture
    again = [(one.question.key, one.text) for one in wrong.order_by("question__key")]
    other = make_data(images=12)
    bring_in(other, domain.VERIFY, "\n".join(["image,question,answer,source", *lines]))
    drawn = Option.objects.filter(label=False, question__project=other).order_by("question__key")
    assert [(one.question.key, one.text) for one in drawn.select_related("question")] == again


def test_later_import_tops_up_the_wrong_answers() -> None:
    project = make_data(images=12)
    heading = "image,question,answer\n"
    bring_in(project, domain.VERIFY, heading + "".join(f"{n},What is it?,thing {n}\n" for n in range(1, 7)))
    assert Option.objects.filter(label=False).count() == 2

    bring_in(project, domain.VERIFY, heading + "".join(f"{n},What is it?,thing {n}\n" for n in range(7, 13)))

    assert (Option.objects.filter(label=True).count(), Option.objects.filter(label=False).count()) == (12, 4)


def test_wrong_answer_that_turns_out_right_is_withdrawn() -> None:
    project = make_data(images=2, negatives=50)
    heading = "image,question,answer\n"
    bring_in(project, domain.VERIFY, f"{heading}1,What is it?,a cat\n2,What is it?,a dog\n")
    wrong = Option.objects.get(label=False, question__image__number=1)
    assert wrong.text == "a dog"

    bring_in(project, domain.VERIFY, f"{heading}1,What is behind it?,The dog.\n")

    question = Question.objects.select_related("item").get(pk=wrong.question_id)
    assert question.withdrawn_at is not None
    assert question.item is not None
    assert question.item.pulled_at is not None


def test_preview_says_that_too_few_wrong_answers_can_be_drawn() -> None:
    project = make_data(images=2, negatives=50)
    text = "image,question,answer\n1,Is it red?,yes\n2,How many are there?,two\n"

    preview = preview_import(project=project, kind=domain.VERIFY, text=text, seed=1)

    assert (preview.negatives, preview.negatives_wanted) == (0, 2)


def test_every_bad_line_is_named() -> None:
    project = make_data(images=2)
    make_image(project, state=Image.State.REFUSED)
    text = (
        "image,question,answer,id\n"
        "1,What is it?,a cat,one\n"
        "9,What is it?,a cat,\n"
        "3,What is it?,a cat,\n"
        "1,,a cat,\n"
        "1,What is it?,a cat,two\n"
        "2,What is it?,a dog,one\n"
        f"2,{'x' * 501},a dog,\n"
        f"2,What is it?,a dog,{'k' * 101}\n"
        "2,What is it?\n"
    )

    assert problems(project, domain.VERIFY, text) == [
        "Line 3: there is no image “9”. Give its number or its id.",
        "Line 4: image 3 is not accepted, so nobody is asked about it.",
        "Line 5: question must not be empty.",
        "Line 6: line 2 says the same.",
        "Line 7: id: “one” is in line 2 already, with other content.",
        "Line 8: question has more than 500 characters.",
        "Line 9: id has more than 100 characters.",
        f"Line 10: it has 2 fields, and the heading 4. {QUOTED}",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "The file is empty."),
        ("image,caption,source\n", "The file has a heading and no line below it."),
        (
            "image,caption\n1,A cat.\n",
            (
                "The first line names the columns image, caption, source, variant and id. "
                "Each must appear once: source."
            ),
        ),
        (
            'image,caption,source\n1,"A cat.,m\n',
            f"Line 2 cannot be read (unexpected end of data). {NOT_CLOSED}",
        ),
        ('{"image": 1, "caption": true, "source": "m"}', "Line 1: caption must be text."),
        ('{"image": 1}\n[1]', "Line 2: this is not a JSON object on one line."),
        (
            "image,caption,source,variant\n1,A cat.,m,odd\n",
            "Line 2: variant: it is one of weird, normal, natural.",
        ),
        ("image,caption,source,variant\n1,A cat.,m,natural\n", "Line 2: image 1 has no natural partner."),
        (
            "image,caption,source\n1,A \x00 cat.,m\n",
            "Line 2: caption has a character in it that cannot be kept.",
        ),
    ],
)
def test_bad_file_is_refused_with_what_to_do(text: str, said: str) -> None:
    assert said in problems(make_data(images=1), domain.RATE, text)


def test_too_many_rows_are_refused() -> None:
    lines = "1,A cat.,m\n" * (MOST_ROWS + 1)

    said = problems(make_data(images=1), domain.RATE, f"image,caption,source\n{lines}")

    assert said == ["A file has at most 10,000 lines; this one has more. Cut it into several."]


def test_our_own_sources_are_no_models() -> None:
    text = "image,explanation,source\n1,It is odd.,People\n"

    said = problems(make_data(images=1), domain.EXPLAIN, text)

    assert said == ["Line 2: source: “People” names our own explanations. Name the model."]


def test_id_that_is_there_has_to_say_what_it_said() -> None:
    project = make_data(images=1)
    heading = "image,caption,source,id\n"
    bring_in(project, domain.RATE, f"{heading}1,A cat.,m,c1\n")

    with pytest.raises(InvalidItems, match="Line 2: “c1” is there already, with other content"):
        bring_in(project, domain.RATE, f"{heading}1,A dog.,m,c1\n")
    assert bring_in(project, domain.RATE, f"{heading}1,A cat.,m,c1\n") == 0


def test_image_is_found_by_its_id_and_never_in_another_project() -> None:
    project, other = make_data(images=1), make_project()
    image = project.images.get()

    assert bring_in(project, domain.RATE, f"image,caption,source\n{image.public_id},A cat.,m\n") == 1
    with pytest.raises(InvalidItems, match="there is no image"):
        bring_in(other, domain.RATE, f"image,caption,source\n{image.public_id},A cat.,m\n")


def test_id_of_a_wrong_answer_is_refused() -> None:
    project = make_data(images=2)
    text = "image,question,answer,id\n1,Who is there?,A fish,a\n2,Who is there?,A cat,a:wrong\n"

    assert problems(project, domain.VERIFY, text) == [
        "Line 3: id: it must not end with “:wrong”, as our answers that are wrong on purpose do."
    ]


def test_image_has_so_many_explanations_of_one_file() -> None:
    project = make_data(images=1)
    rows = "".join(f"1,It is odd {number}.,m\n" for number in range(MOST_EXPLANATIONS + 1))

    assert problems(project, domain.EXPLAIN, f"image,explanation,source\n{rows}") == [
        "Line 102: image 1 has more than 100 explanations."
    ]


def test_answer_that_was_withdrawn_is_never_drawn_as_wrong_for_its_image() -> None:
    project = make_data(images=2, negatives=50)
    head = "image,question,answer\n"
    bring_in(project, domain.VERIFY, f"{head}1,Who is there?,A fish\n")
    withdraw_question(question=questions(project, domain.VERIFY)[0], now=NOW)

    bring_in(project, domain.VERIFY, f"{head}1,Who is it?,A cat\n2,Who is there?,A fish\n")

    wrong = Option.objects.filter(label=False).values_list("question__image__number", "text")
    assert list(wrong) == [(2, "A cat")]


def test_wrong_answer_that_is_right_by_now_is_not_brought_back() -> None:
    project = make_data(images=2, negatives=50)
    head = "image,question,answer\n"
    bring_in(project, domain.VERIFY, f"{head}1,Who is there?,A cat\n2,Who is there?,A fish\n")
    bring_in(project, domain.VERIFY, f"{head}1,Who swims?,A fish\n")
    wrong = Question.objects.get(image__number=1, options__label=False, withdrawn_at__isnull=False)

    with pytest.raises(RuleBroken, match="said to be right by now"):
        bring_back_question(question=wrong, now=NOW)

    wrong.refresh_from_db()
    assert wrong.withdrawn_at == NOW
