"""A real model that was trained on a tiny corpus finds exactly the generics that the corpus states."""

from pathlib import Path
from typing import Any

import pytest
import torch
from django.conf import LazySettings
from transformers import AutoModelForMaskedLM, AutoTokenizer

from crowd.winoventi.associations.services import model_readings
from crowd.winoventi.domain.prompts import TEXTS, Template
from crowd.winoventi.filter.services import adversarial_filter
from crowd.winoventi.models import FilterScore, Project, Reading
from crowd.winoventi.procedure.services import project_rules
from scoring.models import RegisteredRival
from scoring.models.model_questions import ModelQuestion
from scoring.rivals import causal, digest
from scoring.services.answering_questions import answer_questions
from tests.crowd.winoventi import trained
from tests.crowd.winoventi.rows import make_alternative, make_project
from tests.factories import NOW
from tests.scoring import small_language_models as small

pytestmark = pytest.mark.django_db
MASK = "[MASK]"
PATTERN = {Template.IS: 0, Template.IS_NOT: 1, Template.IS_COMMA: 2, Template.IS_NOT_COMMA: 3}


@pytest.fixture
def bert(trained_weights: Path, settings: LazySettings) -> RegisteredRival:
    settings.WEIGHTS_DIR = trained_weights
    return register("trained", trained_weights / "trained", kind="masked")


def register(name: str, folder: Path, *, kind: str) -> RegisteredRival:
    return RegisteredRival.objects.create(
        name=name,
        kind=kind,
        model="a test's own",
        path=folder.name,
        weights_sha256=digest(folder),
        options={"device": "cpu"},
        added_at=NOW,
    )


def run(project: Project) -> None:
    model_readings.start_reading(project=project, now=NOW)
    with small.one_thread():
        for _ in range(3):
            model_readings.read_nouns(now=NOW)
            answer_questions(clock=lambda: NOW)
    assert not ModelQuestion.objects.exclude(status="answered").exists()


class Plain:
    """The same weights in plain transformers calls, one prompt at a time."""

    def __init__(self, folder: Path) -> None:
        self.tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        self.model: Any = AutoModelForMaskedLM.from_pretrained(folder).eval()

    def at_masks(self, prompt: str) -> list[torch.Tensor]:
        read = self.tokenizer(prompt, return_tensors="pt")
        with small.one_thread(), torch.no_grad():
            logits = self.model(**read).logits[0]
        masked = read["input_ids"][0] == self.tokenizer.mask_token_id
        return list(logits[masked].softmax(dim=-1))

    def probability(self, noun: str, word: str) -> float:
        pieces = self.tokenizer(word, add_special_tokens=False)["input_ids"]
        found = self.at_masks(f"The {noun} is {MASK * len(pieces)}.")
        product = torch.stack([row[piece] for row, piece in zip(found, pieces, strict=True)]).prod()
        return float(product ** (1 / len(pieces)))


def test_step_one_finds_exactly_what_the_corpus_says(bert: RegisteredRival) -> None:
    project = make_project(*trained.WORLD, generics_model=bert)

    run(project)

    found: dict[str, dict[str, int]] = {noun: {} for noun in trained.WORLD}
    for one in project.generics.select_related("noun"):
        found[one.noun.word][one.word] = one.k
    assert found == trained.GENERICS
    for row in Reading.objects.select_related("noun"):
        expected = trained.in_order(row.noun.word, PATTERN[Template(row.template)])[:8]
        assert [word for word, _ in row.words] == list(expected)


def test_step_one_says_what_plain_transformers_say(bert: RegisteredRival, trained_weights: Path) -> None:
    project = make_project(*trained.WORLD, generics_model=bert)
    plain = Plain(trained_weights / "trained")

    run(project)

    for row in Reading.objects.select_related("noun"):
        (given,) = plain.at_masks(TEXTS[Template(row.template)].format(noun=row.noun.word, word=MASK))
        expected = [given[plain.tokenizer.convert_tokens_to_ids(word)].item() for word, _ in row.words]
        assert [value for _, value in row.words] == pytest.approx(expected, rel=1e-5)


def test_generics_are_ranked_by_a_causal_model(bert: RegisteredRival, trained_weights: Path) -> None:
    if not (trained_weights / "gpt").exists():
        small.save_gpt2(trained_weights / "gpt")
    gpt = register("gpt", trained_weights / "gpt", kind="causal")
    project = make_project(*trained.WORLD, generics_model=bert, perplexity_model=gpt, cut_by="nothing")

    run(project)

    model_readings.read_nouns(now=NOW)
    rows = list(project.generics.filter(k=3).order_by("rank").select_related("noun"))
    model = causal.CausalModel(small.spec_of(trained_weights / "gpt", "causal", device="cpu"))
    with small.one_thread():
        expected = model.perplexities([row.statement for row in rows])
    assert [row.rank for row in rows] == [1, 2, 3, 4]
    assert expected == sorted(expected)
    assert [row.perplexity for row in rows] == pytest.approx(expected, rel=1e-5)


def test_step_three_keeps_what_the_corpus_says_less_often(
    bert: RegisteredRival, trained_weights: Path
) -> None:
    project = make_project("lemon", filter_model=bert)
    for word in ("yellow", "sweet", "inedible"):
        make_alternative(project, "lemon", "sour", word)
    make_alternative(project, "lemon", "round", "small")
    make_alternative(project, "lemon", "fresh", "sour")
    plain = Plain(trained_weights / "trained")

    adversarial_filter.start_filter(project=project, now=NOW)
    adversarial_filter.filter_alternatives(now=NOW)
    with small.one_thread():
        answer_questions(clock=lambda: NOW)
    adversarial_filter.filter_alternatives(now=NOW)
    project_rules.pass_alternatives(now=NOW)

    states = {(one.generic.word, one.word): one.state for one in project.alternatives.all()}
    assert states == {
        ("sour", "yellow"): "passed",
        ("sour", "sweet"): "passed",
        ("sour", "inedible"): "passed",
        ("round", "small"): "passed",
        ("fresh", "sour"): "filtered",
    }
    for score in FilterScore.objects.select_related("alternative__generic__noun"):
        one = score.alternative
        expected = (plain.probability("lemon", one.generic.word), plain.probability("lemon", one.word))
        assert (score.p_generic, score.p_exception) == pytest.approx(expected, rel=1e-5)
    assert FilterScore.objects.get(alternative__word="inedible").pieces_exception == 2
