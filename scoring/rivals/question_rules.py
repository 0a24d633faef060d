"""Questions that a sentence answers, made by rules from how a pipeline of spaCy has read it.

“Two walruses are swimming in the jungle” answers what is swimming there, how many walruses are, and where.
Words of the answer stand in the sentence, so each answer is right if the sentence is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

# The parts of a sentence: spaCy has no types for them that hold.
Token = Any
PLACES = frozenset(
    ("in", "on", "inside", "under", "underneath", "near", "over", "above", "behind", "beside", "below")
)
PEOPLE = frozenset(
    ("man", "men", "woman", "women", "person", "people", "child", "children", "boy", "boys", "girl", "girls",
     "lady", "baby", "couple", "king", "queen", "doctor", "soldier", "astronaut", "player", "bride")
)  # fmt: skip
BEING = frozenset(("is", "are", "was", "were"))
SINGULAR = {"are": "is", "were": "was"}


@dataclass(frozen=True, kw_only=True)
class Clause:
    """The first clause of a sentence. `being` is empty where the verb stands by itself."""

    subject: list[Token]
    head: Token
    being: str
    verb: Token
    end: int

    @property
    def who(self) -> str:
        return _words(self.subject)


def questions_of(document: Any) -> list[tuple[str, str]]:
    """Return the questions with their answers; of a sentence that is read in another way, none."""
    clause = next((found for sentence in document.sents if (found := _clause(sentence.root))), None)
    return list(_questions(document, clause)) if clause else []


def _questions(document: Any, clause: Clause) -> Iterator[tuple[str, str]]:
    rest = document[clause.verb.i : clause.end].text
    being = f"{clause.being} " if clause.being else ""
    singular = f"{SINGULAR.get(clause.being, clause.being)} " if clause.being else ""
    yield f"{_what(clause.head)} {singular}{rest}?", clause.who
    number = next((one for one in clause.head.lefts if one.dep_ == "nummod"), None)
    if number is not None:
        counted = [one for one in clause.subject if one.i > number.i]
        yield f"How many {_words(counted)} {being}{rest}?", number.text.lower()
    if not clause.being:
        return
    for child in clause.verb.rights:
        part = list(child.subtree)
        if child.dep_ == "dobj":
            before = document[clause.verb.i : part[0].i].text
            yield f"{_what(child)} {being}{clause.who} {before}?", _words(part)
        elif child.dep_ == "prep" and child.lower_ in PLACES and part[-1].i + 1 == clause.end:
            before = document[clause.verb.i : part[0].i].text
            yield f"Where {being}{clause.who} {before}?", _words(part)


def _clause(root: Token) -> Clause | None:
    """Return who does what, of “A man rides”, “A man is riding” and “A man riding”."""
    verb, head = root, next((one for one in root.lefts if one.dep_ == "nsubj"), None)
    if head is None and root.pos_ in ("NOUN", "PROPN"):
        verb, head = next((one for one in root.rights if one.dep_ == "acl"), None), root
    if verb is None or head is None or verb.pos_ != "VERB" or head.pos_ == "PRON":
        return None
    aside = set(verb.subtree) if head is root else set()
    subject = [one for one in head.subtree if one not in aside and not one.is_punct]
    said = [one for one in verb.subtree if one.i >= verb.i and not one.is_punct]
    being = next((one.lower_ for one in verb.lefts if one.dep_ == "aux"), "")
    if verb.tag_ == "VBG":
        being = being or ("are" if head.tag_ in ("NNS", "NNPS") else "is")
    if (being and being not in BEING) or verb.tag_ not in ("VBG", "VBZ", "VBD"):
        return None
    return Clause(subject=subject, head=head, being=being, verb=verb, end=said[-1].i + 1)


def _what(head: Token) -> str:
    return "Who" if head.lower_ in PEOPLE or head.pos_ == "PROPN" else "What"


def _words(tokens: list[Token]) -> str:
    """Return the words as they stand, without the capital that only begins a sentence."""
    text = "".join(one.text_with_ws for one in tokens).strip()
    return text if tokens[0].pos_ == "PROPN" else text[:1].lower() + text[1:]
