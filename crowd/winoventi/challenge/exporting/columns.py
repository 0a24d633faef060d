"""Columns of the challenge set, and where each is read. A row is a prompt; a pair has two."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from crowd.winoventi.domain import EXCEPTION, GENERIC
from crowd.winoventi.domain.prompts import MASK
from crowd.winoventi.models import WordTag
from hits.datasets.columns import FLAG, INTEGER, MOMENT, NUMBER, PERSON, ROWS, TEXT, TEXTS, Column, column


def _handed_in(row: Any) -> datetime | None:
    """When the work was submitted; None for recorded work, of which nobody knows it."""
    return row.assignment.submitted_at if row.assignment else None


def told_by(tag: WordTag) -> str:
    return f"a person; {tag.tagger} says {tag.tagged}" if tag.corrected_at else tag.tagger


BY = column("by", PERSON, "pseudonym", of="worker.public_id")
AT = column("at", MOMENT, "when it was submitted", of=_handed_in)
PUBLISHED: Sequence[Column] = (
    column("Word", TEXT, "the noun", of="pair.noun"),
    column("Associative Bias", TEXT, "the generic: what the model ties to the noun", of="pair.generic"),
    column(
        "Alternative", TEXT, "the exception: what holds of it if the generic does not", of="pair.exception"
    ),
    column(
        "biased_word_context",
        TEXT,
        "the sentence with the word that makes the generic true",
        of=lambda told: told.pair.context(GENERIC),
    ),
    column(
        "adversarial_word_context",
        TEXT,
        "the sentence with the word that makes the exception true",
        of=lambda told: told.pair.context(EXCEPTION),
    ),
    column(
        "masked_prompt",
        TEXT,
        "one of the two sentences, and the outcome to be found",
        of=lambda told: told.pair.prompt(told.kind, mask=MASK),
    ),
    column("target", TEXT, "the outcome that the sentence calls for"),
    column("incorrect", TEXT, "the other one"),
    column("test_type", TEXT, "generic or exception: which outcome is the target", of="kind"),
)
PROVENANCE: Sequence[Column] = (
    column("prompt", TEXT, "the prompt's id, as files of models' answers name it"),
    column("pair", TEXT, "the same for both prompts of a pair", of=lambda told: str(told.pair.pk)),
    column("study", TEXT, "the study's id", of=lambda told: str(told.pair.project.study.public_id)),
    column("state", TEXT, "valid, or failed: only valid pairs are published", of="pair.state"),
    column(
        "failed_by",
        TEXTS,
        "the questions that a pair failed by",
        of=lambda told: [one for one in told.pair.reason.split(",") if one],
    ),
    column(
        "k",
        INTEGER,
        "the smallest k by which the model ties the generic to the noun",
        of="pair.alternative.generic.k",
    ),
    column(
        "rank",
        INTEGER,
        "the statement's place by perplexity among those of its k",
        of="pair.alternative.generic.rank",
    ),
    column("perplexity", NUMBER, "of the generic statement", of="pair.alternative.generic.perplexity"),
    column("sentence", TEXT, "as its author wrote it, with the bracket", of="pair.sentence"),
    column("generic_word", TEXT, "the word that makes the generic true", of="pair.generic_word"),
    column("exception_word", TEXT, "the word that makes the exception true", of="pair.exception_word"),
    column(
        "part_of_speech",
        TEXT,
        "universal tag of this prompt's special word; empty: not told",
        of=lambda told: told.tag.part if told.tag else "",
    ),
    column(
        "part_of_speech_by",
        TEXT,
        "the tagger with its versions, or a person who corrected it",
        of=lambda told: told_by(told.tag) if told.tag else "",
    ),
    column(
        "warnings",
        TEXTS,
        "what its author was warned of while writing",
        of=lambda told: list(told.pair.warnings),
    ),
    column(
        "exception_by", PERSON, "pseudonym of who gave the exception", of="pair.alternative.worker.public_id"
    ),
    column(
        "exception_at", MOMENT, "when that was submitted", of=lambda told: _handed_in(told.pair.alternative)
    ),
    column("premise_by", PERSON, "pseudonym of who wrote the sentence", of="pair.worker.public_id"),
    column("premise_at", MOMENT, "when that was submitted", of=lambda told: _handed_in(told.pair)),
    column("settled_at", MOMENT, "when its last validator had answered", of="pair.settled_at"),
    column(
        "filter",
        ROWS,
        "what models make of the two outcomes without a sentence",
        column(
            "model",
            TEXT,
            "the model; empty: recorded elsewhere",
            of=lambda score: score.rival.name if score.rival else "",
        ),
        column("way", TEXT, "how a word of several pieces is scored"),
        column("p_generic", NUMBER, "probability of the generic"),
        column("p_exception", NUMBER, "probability of the exception"),
        column("pieces_generic", INTEGER, "of how many pieces it is to the model"),
        column("pieces_exception", INTEGER, "of how many pieces it is to the model"),
        column("passes", FLAG, "whether the generic is strictly more probable"),
        column(
            "weights_sha256",
            TEXT,
            "of the model's weights",
            of=lambda score: str(score.provenance.get("weights_sha256", "")),
        ),
        column("scored_at", MOMENT, "when"),
    ),
    column(
        "judgements",
        ROWS,
        "the validators' answers; yes is bad",
        BY,
        column("generic_synonym", FLAG, "the generic and its word mean the same"),
        column("exception_synonym", FLAG, "the exception and its word mean the same"),
        column("exception_fits_generic", FLAG, "the exception is sensible where the generic is called for"),
        column("generic_fits_exception", FLAG, "the generic is sensible where the exception is called for"),
        AT,
    ),
    column(
        "choices",
        ROWS,
        "what people completed this prompt with",
        BY,
        column("word", TEXT, "their choice"),
        column("right", FLAG, "whether it is the target", of="is_right"),
        AT,
    ),
)
FULL: Sequence[Column] = (*PUBLISHED, *PROVENANCE)
SPLIT: Sequence[Column] = (column("prompt", TEXT, "the prompt's id"), *PUBLISHED)
