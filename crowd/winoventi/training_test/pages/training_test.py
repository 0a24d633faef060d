"""The qualification: one noun through the whole procedure. A researcher grades it; nothing is scored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext_lazy

from crowd.questions.answer_columns import as_entered, yes_or_no
from crowd.questions.family import AskTask
from crowd.questions.page_entries import Look, Texts, fault_of_pick
from crowd.winoventi import domain
from crowd.winoventi.domain.answers import ALTERNATIVES
from crowd.winoventi.domain.prompts import statement
from crowd.winoventi.entries import LABELS
from crowd.winoventi.exceptions.pages import exceptions
from crowd.winoventi.models.walks import Walk
from crowd.winoventi.premises.pages import premises
from crowd.winoventi.training_test.pages.walk_files import (
    HELP,
    WalkRow,
    example_walks,
    given_premise,
    practice_walk,
    read_walks,
)
from crowd.winoventi.validation.pages.validations import Pair
from hits.datasets.columns import TEXT, Column, column
from hits.families import Purpose, TakesFiles, Terms
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services.answers_needed import new_item

PICKS = ("synonym", "fits")
# An item of a test may be asked of any number of workers.
WANTED = 30_000


@dataclass(frozen=True, kw_only=True)
class Station:
    """The questions of one walk, and a model answer to them."""

    noun: str
    generic: str
    given: Pair
    model_answer: Texts


def _model_answer(name: str, words: str) -> Column:
    """Return the column of an entry of the model answer, which workers never see."""
    return column(f"model_{name}", TEXT, words, of=lambda one: one.asked.model_answer.get(name, ""))


FLAT = (
    column("noun", TEXT, "the thing", of="asked.noun"),
    column("generic", TEXT, "what a model says that it is", of="asked.generic"),
    yes_or_no("makes_sense", "whether the worker says that the statement makes sense"),
    column("words", TEXT, "what else it could be, as written", of=lambda one: exceptions.words_of(one.texts)),
    as_entered("sentence", "the worker's sentence, with two words in brackets"),
    as_entered("generic_word", "the word that leads to the first outcome"),
    as_entered("exception_word", "the word that leads to the second outcome"),
    column("given_sentence", TEXT, "the sentence to judge", of="asked.given.sentence.sentence"),
    yes_or_no("synonym", "whether a word of it means the same as its outcome"),
    yes_or_no("fits", "whether both outcomes are possible with one of its words"),
    _model_answer("synonym", "the model answer to the first of these"),
    _model_answer("fits", "the model answer to the second of these"),
)


class WalkTask(AskTask[Station], TakesFiles):
    key = domain.WALK
    name = "Exception procedure: qualification"
    terms = Terms(
        title="Walk through the exception procedure",
        description=(
            "A test: you go once through every step with one thing. A person reads your answers and decides "
            "whether you can take part."
        ),
        reward=Decimal("0.50"),
        item_s=300,
        duration_s=1800,
        most_items=1,
    )
    purpose = Purpose.TEST
    leases_once = True
    file_help = HELP
    heading = gettext_lazy("Walk through the whole procedure")
    page = "winoventi/walk.html"
    question = "winoventi/parts/walk_question.html"
    review = "winoventi/review/walk.html"
    entries = (*exceptions.ENTRIES, *premises.ENTRIES, *PICKS)
    labels = LABELS
    flat = FLAT

    @property
    def practice(self) -> Station:
        return _station(practice_walk())

    def asked_by(self, items: Sequence[Item]) -> Mapping[int, Station]:
        return {row.item_id: _station(row) for row in Walk.objects.filter(item__in=items)}

    def shown(self, asked: Station, *, seed: str) -> Mapping[str, Any]:
        """All texts of the walk but the model answer, which workers never see."""
        given = asked.given
        return {
            "noun": asked.noun,
            "generic": asked.generic,
            "statement": statement(asked.noun, asked.generic),
            "outcomes": {"generic": statement(asked.noun, asked.generic)},
            "wants_all": True,
            "follows": True,
            "given": {
                **given.shown,
                "sentence": given.sentence.sentence,
            },
        }

    def look(self, texts: Texts, asked: Station) -> Look:
        first = exceptions.look_at_exceptions(texts, generic=asked.generic, wants_words=True)
        own = texts[ALTERNATIVES[0]]
        second = premises.look_at_premise(texts, generic=asked.generic, exception=own)
        picks = {entry: fault_of_pick(texts[entry]) for entry in PICKS}
        faults = {
            **first.faults,
            **second.faults,
            **{entry: words for entry, words in picks.items() if words},
        }
        return Look(faults=faults, odd={} if faults else {**first.odd, **second.odd})

    def reviewed(self, asked: Station, texts: Texts, *, assignment: Assignment) -> Mapping[str, Any]:
        return {
            **self.shown(asked, seed=""),
            "answer": texts,
            "words": exceptions.words_of(texts),
            "model": asked.model_answer,
            "model_words": exceptions.words_of(asked.model_answer),
            "odd": " ".join(self.look(texts, asked).odd.values()) if texts else "",
        }

    def read_items(self, content: bytes) -> Sequence[WalkRow]:
        return read_walks(content)

    def add_items(self, rows: Sequence[WalkRow], *, batch: Batch) -> int:
        """Add an item and a walk for each row; the caller holds the transaction."""
        made = Item.objects.bulk_create(
            new_item(study=batch.study, batch=batch, task=self.key, answers_needed=WANTED) for _row in rows
        )
        Walk.objects.bulk_create(Walk(item=item, **vars(row)) for item, row in zip(made, rows, strict=True))
        return len(rows)

    def example_file(self) -> str:
        return example_walks()

    def remove_items(self, *, batch: Batch) -> None:
        Walk.objects.filter(item__batch=batch).delete()


def _station(row: Walk | WalkRow) -> Station:
    given = Pair(
        noun=row.noun,
        generic=row.given_generic,
        exception=row.given_exception,
        sentence=given_premise(row.given_sentence),
    )
    return Station(noun=row.noun, generic=row.generic, given=given, model_answer=row.model_answer)
