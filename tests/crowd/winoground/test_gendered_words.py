"""Gendered words: found as whole words, refused in ready examples unless confirmed, and listed."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from crowd.winoground.domain.gendered_words import Shown, gendered_words, shown_by
from crowd.winoground.models import Example, GenderedConfirmation, Project
from crowd.winoground.services.example_writing import change_example, mark_ready
from crowd.winoground.services.gendered_captions import confirm_gendered_words
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.identity.roles import AUTHOR, REVIEWER
from tests.crowd.winoground.making_examples import form_data, make_example, make_project, written
from tests.factories import NOW
from tests.pages import text_of
from tests.people import sign_in

LATER = NOW + timedelta(minutes=5)
GENDERED = ("the woman hands him a cup", "him hands the woman a cup")


@pytest.mark.parametrize(
    ("caption", "found"),
    [
        ("A Woman and two men", ["woman", "men"]),
        ("the girls' dog and the boy's cat", ["girls", "boy"]),
        ("She’ll see the ladies; SHE said", ["she", "ladies"]),
        ("an actress, two waitresses and a witch", ["actress", "waitresses", "witch"]),
        ("yes, ma'am", ["ma'am"]),
        ("a queen-sized bed, a king size one and king‐size sheets", []),
        ("queen bees on a man-made lake, a Man-made hill beside the queen bee's", []),
        ("a man made a king-sized cake for the king", ["man", "king"]),
        ("the king sees sizes, and the queen a bee", ["king", "queen"]),
        ("the king. Size matters, said the queen: bees", ["king", "queen"]),
        (
            "his fiancée, her fiancé, FIANCÉES and fiances",
            ["his", "fiancée", "her", "fiancé", "fiancées", "fiances"],
        ),
        (
            "mistresses, a masseuse, masseurs and the matron's",
            ["mistresses", "masseuse", "masseurs", "matron"],
        ),
        (
            "girlhood, boyhood, boyish, girly, mankind's, womankind",
            ["girlhood", "boyhood", "boyish", "girly", "mankind", "womankind"],
        ),
        ("a patron, a distress, a masterpiece and humankind", []),
        ("a snowman on a ladybug beside a mango and a helmet", []),
        ("a person gives their child a kingdom", []),
        ("a firewoman, two chairwomen and a spokeswoman's hat", ["firewoman", "chairwomen", "spokeswoman"]),
        ("salesgirls and a stewardess", ["salesgirls", "stewardess"]),
        ("spokesman, postmen, milkman's", ["spokesman", "postmen", "milkman"]),
        ("her granddad and the bachelors", ["her", "granddad", "bachelors"]),
        ("policewomen, a fisherman and gentlemen", ["policewomen", "fisherman", "gentlemen"]),
        ("a human and a German see a specimen, an omen, the abdomen and an ottoman", []),
        ("the shamans' talismans, snowmen, a caiman and Roman ramen, amen", []),
    ],
)
def test_gendered_words_are_found_as_whole_words(caption: str, found: Sequence[str]) -> None:
    assert gendered_words(caption) == found


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Girl with her dog", Shown.WOMEN),
        ("Boys playing", Shown.MEN),
        ("Woman and their child", Shown.WOMEN),
        ("Mother and son", Shown.SEVERAL),
        ("People enjoying themselves", Shown.NEUTRAL),
        ("A scuba diver", None),
        ("", None),
    ],
)
def test_metadata_say_who_is_shown(text: str, shown: Shown | None) -> None:
    assert shown_by(text) == shown


CAPTIONS: dict[str, Any] = dict(zip(("caption_0", "caption_1"), GENDERED, strict=True))


def make_gendered(*, project: Project | None = None, by: User | None = None) -> Example:
    return make_example(project or make_project(), by=by, ready=False, **CAPTIONS)


Places = Sequence[tuple[int, str]]
BOTH: Places = ((0, "woman"), (0, "him"), (1, "him"), (1, "woman"))
SENT = [f"{place}:{word}" for place, word in BOTH]


def confirm(example: Example, places: Places = BOTH, reason: str = "A chess piece.") -> None:
    confirm_gendered_words(example=example, places=places, reason=reason, by=example.author, now=LATER)


@pytest.mark.django_db
def test_example_with_gendered_words_is_not_ready_until_they_are_confirmed() -> None:
    example = make_gendered()

    faults = mark_ready(example=example, now=LATER)
    assert list(faults) == ["caption_0", "caption_1"]
    assert faults["caption_0"][0].startswith("Gendered: “woman”, “him”. Write “person”")

    confirm(example)
    assert mark_ready(example=example, now=LATER) == {}
    kept = GenderedConfirmation.objects.get()
    assert (kept.words, kept.reason, kept.by, kept.at) == (
        ["woman", "him"], "A chess piece.", example.author, LATER,
    )  # fmt: skip


@pytest.mark.django_db
def test_another_gendered_word_has_to_be_confirmed_anew() -> None:
    example = make_gendered()
    confirm(example)
    words = written(seed=3, caption_0="the man hands him a cup", caption_1="him hands the man a cup")

    kept = change_example(
        example=example,
        by=example.author,
        written=words,
        seen=example.changed_at,
        wants_ready=True,
        now=LATER,
    )

    assert kept.example.state == Example.State.DRAFT
    assert "“man”" in kept.faults["caption_0"][0]
    assert "“him”" not in kept.faults["caption_0"][0]


QUEEN: dict[str, Any] = {"caption_0": "the queen sees a person", "caption_1": "the person sees a queen"}


@pytest.mark.django_db
def test_a_word_that_stays_in_one_caption_is_confirmed_anew_in_the_other() -> None:
    captions: dict[str, Any] = {"caption_0": QUEEN["caption_0"], "caption_1": "the person sees a monarch"}
    example = make_example(make_project(), ready=False, **captions)
    confirm(example, [(0, "queen")])
    Example.objects.update(**QUEEN)
    example.refresh_from_db()

    faults = mark_ready(example=example, now=LATER)
    assert list(faults) == ["caption_1"]
    assert faults["caption_1"][0].startswith("Gendered: “queen”.")

    confirm(example, [(1, "queen")])
    assert mark_ready(example=example, now=LATER) == {}


@pytest.mark.django_db
def test_a_confirmation_that_tells_no_captions_apart_holds_for_both() -> None:
    example = make_example(make_project(), ready=False, **QUEEN)
    GenderedConfirmation.objects.create(
        example=example, words=["queen"], reason="Chess.", by=example.author, at=NOW
    )

    assert mark_ready(example=example, now=LATER) == {}


@pytest.mark.django_db
def test_places_that_no_page_sends_confirm_nothing(client: Client) -> None:
    project = make_project()
    example = make_gendered(project=project, by=sign_in(client, AUTHOR, project.study))
    verb = reverse("admin:winoground_example_verb", args=[example.project_id, example.public_id, "gendered"])

    for sent in ([], ["woman"], ["2:woman", "x:", ":"], [*SENT, "0:man"]):
        answer = client.post(verb, {"places": sent, "confirmed": "yes", "reason": "Chess."})
        assert "The captions have changed since you opened this page." in text_of(answer)
    assert not GenderedConfirmation.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("places", "reason", "code"),
    [(BOTH, "  ", "no_reason"), (BOTH[:2], "A queen.", "changed"), (BOTH[2:], "A queen.", "changed")],
)
def test_confirmation_needs_a_reason_and_the_words_that_were_seen(
    places: Places, reason: str, code: str
) -> None:
    example = make_gendered()

    with pytest.raises(RuleBroken) as refusal:
        confirm(example, places, reason)

    assert refusal.value.code == code
    assert not GenderedConfirmation.objects.exists()


@pytest.mark.django_db
def test_author_confirms_on_a_page_that_names_the_words(client: Client) -> None:
    project = make_project()
    example = make_gendered(project=project, by=sign_in(client, AUTHOR, project.study))
    show = reverse("admin:winoground_show_example", args=[example.project_id, example.public_id])
    verb = reverse("admin:winoground_example_verb", args=[example.project_id, example.public_id, "gendered"])
    assert "Let gendered words stay" in text_of(client.get(show))
    asked = text_of(client.get(verb))
    assert "In caption A these stay: <strong>woman, him</strong>." in asked
    assert "In caption B these stay: <strong>him, woman</strong>." in asked

    empty = client.post(verb, {"places": SENT, "confirmed": "yes", "reason": ""})
    assert "Say why they stay." in text_of(empty)
    done = client.post(verb, {"places": SENT, "confirmed": "yes", "reason": "Queens of chess."}, follow=True)

    page = text_of(done)
    assert "Example 1: gendered words stay: woman, him." in page
    assert "Gendered, and confirmed: woman, him." in page
    assert "Queens of chess." in page
    assert LogEntry.objects.filter(object_id=str(example.pk), change_message__contains="Queens").exists()


@pytest.mark.django_db
def test_nobody_else_confirms(client: Client) -> None:
    example = make_gendered()
    verb = reverse("admin:winoground_example_verb", args=[example.project_id, example.public_id, "gendered"])

    for role, status in ((AUTHOR, 404), (REVIEWER, 403)):
        sign_in(client, role, example.project.study)
        sent = {"places": SENT, "confirmed": "yes", "reason": "Mine."}
        assert client.post(verb, sent).status_code == status
    assert not GenderedConfirmation.objects.exists()


@pytest.mark.django_db
def test_form_names_gendered_words_while_they_are_typed(client: Client) -> None:
    project = make_project()
    sign_in(client, AUTHOR, project.study)
    typed = {"caption_0": "his hat", "caption_1": ""}

    said = client.post(reverse("admin:winoground_words", args=[project.pk]), typed)
    kept = client.post(
        reverse("admin:winoground_write_example", args=[project.pk]),
        form_data(caption_0=GENDERED[0], caption_1=GENDERED[1], metadata_0="Girl with a dog"),
        follow=True,
    )

    assert "Gendered: his." in text_of(said)
    assert "Example 1 is saved as a draft." in text_of(kept)
    example = Example.objects.get()
    assert (example.state, example.metadata_0) == ("draft", "Girl with a dog")
