"""Sentences about a noun that models and workers are shown."""

from enum import StrEnum

MASK = "[MASK]"
BLANK = "____"


class Template(StrEnum):
    """Sentences to complete: affirmative and negated, with a full stop and with a comma."""

    IS = "is"
    IS_NOT = "is_not"
    IS_COMMA = "is_comma"
    IS_NOT_COMMA = "is_not_comma"


TEXTS = {
    Template.IS: "The {noun} is {word}.",
    Template.IS_NOT: "The {noun} is not {word}.",
    Template.IS_COMMA: "The {noun} is {word},",
    Template.IS_NOT_COMMA: "The {noun} is not {word},",
}
# A generic is a word that both of a pair have among their first words.
PAIRS = ((Template.IS, Template.IS_NOT), (Template.IS_COMMA, Template.IS_NOT_COMMA))


def prompt(noun: str, *, template: Template = Template.IS, word: str = MASK) -> str:
    return TEXTS[template].format(noun=noun, word=word)


def statement(noun: str, word: str) -> str:
    """The statement as workers read it, and as a causal model is asked how likely it is."""
    return prompt(noun, word=word)


def challenge(premise: str, *, noun: str, mask: str = MASK) -> str:
    """The premise with its word, followed by the statement whose outcome is to be found."""
    return f"{premise} {prompt(noun, word=mask)}"


def prompt_id(premise: int, kind: str) -> str:
    """The name of a prompt in files."""
    return f"{premise}-{kind}"
