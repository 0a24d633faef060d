"""Columns of the data in both forms. Files, cards and the docs are made from these two lists."""

from collections.abc import Sequence

from hits.datasets.columns import FLAG, INTEGER, MOMENT, NUMBER, ROWS, TEXT, TEXTS, Column, column

PUBLISHED: Sequence[Column] = (
    column("ID", TEXT, "the association, by the same name in every release of the study"),
    column("candidates", TEXTS, "the pictures, in the order in which the author saw them"),
    column("cue", TEXT, "the word"),
    column("associations", TEXTS, "the pictures that its author chose for it"),
    column("score_fool_the_ai", INTEGER, "100 minus the model's Jaccard index in whole per cent"),
    column("num_associations", INTEGER, "how many pictures were chosen"),
    column("num_candidates", INTEGER, "out of how many"),
    column("solvers_jaccard_mean", NUMBER, "mean Jaccard index of the solvers with the author's choice"),
    column("solvers_jaccard_std", NUMBER, "its standard deviation over these solvers, as a population"),
)
PROVENANCE: Sequence[Column] = (
    column("study", TEXT, "the study's id"),
    column("source", TEXT, "file, worker, player, recorded, test, or swow for the baseline: who made it"),
    column("selected", FLAG, "whether people solve it, so that it is part of the published form"),
    column("recorded_as", TEXT, "its name in the recording that it comes from"),
    column("picture_set", TEXT, "the same for the same candidates, in whatever order they were shown"),
    column("author", TEXT, "pseudonym of who made it"),
    column("made_at", MOMENT, "when it was submitted"),
    column("solvers_jaccard_exact", TEXT, "the mean as a fraction"),
    column("asked_at", MOMENT, "when the model's answer became known"),
    column("final_at", MOMENT, "when its last solver was in"),
    column(
        "pictures",
        ROWS,
        "the candidates again, with where they come from",
        column("name", TEXT, "as in candidates"),
        column("sha256", TEXT, "of the file; empty where a recording has only the name"),
        column("licence", TEXT, "of the picture"),
        column("credit", TEXT, "whom to name with it"),
        column("source", TEXT, "where it was found"),
        column("chosen", FLAG, "by the author"),
        column("predicted", FLAG, "by the model that was paid on; empty: not asked yet"),
    ),
    column(
        "solvers",
        ROWS,
        "who solved it, in the order in which they submitted",
        column("solver", TEXT, "pseudonym"),
        column("picked", TEXTS, "names of the pictures"),
        column("jaccard", TEXT, "with the author's choice, as a fraction"),
        column("submitted_at", MOMENT, "when; empty in a recording"),
    ),
    column(
        "verdicts",
        ROWS,
        "what models said when they were asked in the game",
        column("rival", TEXT, "the model's name here"),
        column("paid_on", FLAG, "whether bonuses and score_fool_the_ai follow it"),
        column("model", TEXT, "its architecture or package"),
        column("weights_sha256", TEXT, "which weights"),
        column("prompt", TEXT, "what it was asked"),
        column("code_version", TEXT, "of the program that asked it"),
        column("model_score", INTEGER, "its Jaccard index in whole per cent, rounded down"),
        column("predicted", TEXTS, "names of the pictures"),
        column("answered_at", MOMENT, "when"),
    ),
)
ANNOTATED: Sequence[Column] = (
    column(
        "types",
        TEXTS,
        "how the word goes with each candidate, by most of its annotators; empty without a majority, and for "
        "candidates about which nobody was asked",
    ),
    column(
        "skills",
        TEXTS,
        "what it takes to find the pictures: all that most annotators name; empty where nobody was asked",
    ),
)
# What stands for a picture as text, and for the word as a picture.
SIDES: Sequence[Column] = (
    column("concepts", TEXTS, "the name of what each candidate shows, in the order of candidates"),
    column("captions", TEXTS, "the sentence that the pool has about each; empty where it has none"),
    column(
        "cue_picture",
        ROWS,
        "a picture of the pool that shows what the word names: one, or none",
        column("name", TEXT, "what it shows"),
        column("sha256", TEXT, "of the file"),
        column("licence", TEXT, "of the picture"),
        column("credit", TEXT, "whom to name with it"),
        column("source", TEXT, "where it was found"),
        column("caption", TEXT, "the sentence that the pool has about it"),
    ),
)
FULL: Sequence[Column] = (*PUBLISHED, *PROVENANCE, *ANNOTATED, *SIDES)
# Columns of the list of pictures, which has each picture of a release once.
PICTURES: Sequence[Column] = (
    column("name", TEXT, "as in candidates"),
    column("sha256", TEXT, "of the file"),
    column("licence", TEXT, "of the picture"),
    column("credit", TEXT, "whom to name with it"),
    column("source", TEXT, "where it was found"),
)
