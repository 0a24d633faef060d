"""Universal parts of speech, in words for the tables."""

PARTS = [
    ("ADJ", "adjective"),
    ("NOUN", "noun"),
    ("VERB", "verb"),
    ("ADV", "adverb"),
    ("ADP", "adposition"),
    ("AUX", "auxiliary"),
    ("CCONJ", "coordinating conjunction"),
    ("DET", "determiner"),
    ("INTJ", "interjection"),
    ("NUM", "number"),
    ("PART", "particle"),
    ("PRON", "pronoun"),
    ("PROPN", "proper noun"),
    ("PUNCT", "punctuation"),
    ("SCONJ", "subordinating conjunction"),
    ("SYM", "symbol"),
    ("X", "other"),
]
# For what a pipeline says beyond these.
OTHER = "X"
NAMES = dict(PARTS)
