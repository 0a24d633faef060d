"""What a row of the challenge set has, in both forms. A row is a prompt; a pair has two."""

from collections.abc import Sequence

from hits.datasets.columns import FLAG, INTEGER, MOMENT, NUMBER, ROWS, TEXT, TEXTS, Column, column

PUBLISHED: Sequence[Column] = (
    column("Word", TEXT, "the noun"),
    column("Associative Bias", TEXT, "the generic: what the model ties to the noun"),
    column("Alternative", TEXT, "the exception: what holds of it if the generic does not"),
    column("biased_word_context", TEXT, "the sentence with the word that makes the generic true"),
    column("adversarial_word_context", TEXT, "the sentence with the word that makes the exception true"),
    column("masked_prompt", TEXT, "one of the two sentences, and the outcome to be found"),
    column("target", TEXT, "the outcome that the sentence calls for"),
    column("incorrect", TEXT, "the other one"),
    column("test_type", TEXT, "generic or exception: which outcome is the target"),
)
PROVENANCE: Sequence[Column] = (
    column("prompt", TEXT, "the prompt's id, as files of models' answers name it"),
    column("pair", TEXT, "the same for both prompts of a pair"),
    column("study", TEXT, "the study's id"),
    column("state", TEXT, "valid, or failed: only valid pairs are published"),
    column("failed_by", TEXTS, "the questions that a pair failed by"),
    column("k", INTEGER, "the smallest k by which the model ties the generic to the noun"),
    column("rank", INTEGER, "the statement's place by perplexity among those of its k"),
    column("perplexity", NUMBER, "of the generic statement"),
    column("sentence", TEXT, "as its author wrote it, with the bracket"),
    column("generic_word", TEXT, "the word that makes the generic true"),
    column("exception_word", TEXT, "the word that makes the exception true"),
    column("warnings", TEXTS, "what its author was warned of while writing"),
    column("exception_by", TEXT, "pseudonym of who gave the exception"),
    column("exception_at", MOMENT, "when that was handed in"),
    column("premise_by", TEXT, "pseudonym of who wrote the sentence"),
    column("premise_at", MOMENT, "when that was handed in"),
    column("settled_at", MOMENT, "when its last validator was in"),
    column(
        "filter",
        ROWS,
        "what models make of the two outcomes without a sentence",
        column("model", TEXT, "the model; empty: recorded elsewhere"),
        column("way", TEXT, "how a word of several pieces is scored"),
        column("p_generic", NUMBER, "probability of the generic"),
        column("p_exception", NUMBER, "probability of the exception"),
        column("pieces_generic", INTEGER, "of how many pieces it is to the model"),
        column("pieces_exception", INTEGER, "of how many pieces it is to the model"),
        column("passes", FLAG, "whether the generic is strictly more probable"),
        column("weights_sha256", TEXT, "of the model's weights"),
        column("scored_at", MOMENT, "when"),
    ),
    column(
        "judgements",
        ROWS,
        "the validators' answers; yes is bad",
        column("by", TEXT, "pseudonym"),
        column("generic_synonym", FLAG, "the generic and its word mean the same"),
        column("exception_synonym", FLAG, "the exception and its word mean the same"),
        column("exception_fits_generic", FLAG, "the exception is sensible where the generic is called for"),
        column("generic_fits_exception", FLAG, "the generic is sensible where the exception is called for"),
        column("at", MOMENT, "when it was handed in"),
    ),
    column(
        "choices",
        ROWS,
        "what people completed this prompt with",
        column("by", TEXT, "pseudonym"),
        column("word", TEXT, "their choice"),
        column("right", FLAG, "whether it is the target"),
        column("at", MOMENT, "when it was handed in"),
    ),
)
FULL: Sequence[Column] = (*PUBLISHED, *PROVENANCE)
SPLIT: Sequence[Column] = (column("prompt", TEXT, "the prompt's id"), *PUBLISHED)
