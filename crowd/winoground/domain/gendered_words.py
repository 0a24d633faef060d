"""Words that say the gender of people: whole words, in the singular and plural, possessive or not.

The paper writes captions without them ("person" for "woman"), and counts them in the metadata of pictures
as a rough estimate of who is shown. Its lists are not published, so these are our own.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import pairwise, product

from crowd.winoground.domain.captions import Word, words_of


class Gender(StrEnum):
    WOMEN = "women"
    MEN = "men"
    NEUTRAL = "neutral"


class Shown(StrEnum):
    """Who the words of a picture's metadata speak of."""

    WOMEN = "women"
    MEN = "men"
    NEUTRAL = "neutral"
    SEVERAL = "several"


# Words whose plural is regular.
_NOUNS: Mapping[Gender, str] = {
    Gender.WOMEN: "actress aunt auntie ballerina bride bridesmaid cowgirl daughter duchess empress female "
    "fiancee fiancée gal girl girlfriend goddess godmother grandma granddaughter grandmother granny heroine "
    "hostess housemaid lady lass maid mama masseuse matron mermaid mistress mom mommy mother mum mummy "
    "niece nun princess queen salesgirl schoolgirl seamstress sister stepdaughter stepmother stewardess "
    "waitress widow witch",
    Gender.MEN: "bachelor boy boyfriend bridegroom brother chap cowboy dad daddy dude duke father fiance "
    "fiancé godfather granddad grandfather grandpa grandson groom guy husband king lad male masseur monk "
    "nephew papa prince schoolboy son stepfather stepson uncle waiter widower wizard",
    Gender.NEUTRAL: "adult baby human individual kid parent sibling spouse teen teenager toddler",
}
# All other forms, as they are written. Words that end in “man” or “woman” are found by their ends.
_FORMS: Mapping[Gender, str] = {
    Gender.WOMEN: "her hers herself she feminine girlhood girlish girly ma'am madam mrs ms wife wives "
    "housewife housewives womankind",
    Gender.MEN: "boyhood boyish he him himself his mankind masculine mr sir",
    Gender.NEUTRAL: "them themself themselves they their theirs child children people person persons "
    "somebody someone",
}

# Ends of words for people in their trade or place: “firewoman”, “postmen”. The first that fits counts.
_ENDS: Mapping[str, Gender] = {
    "woman": Gender.WOMEN,
    "women": Gender.WOMEN,
    "man": Gender.MEN,
    "men": Gender.MEN,
}
# Words with such an end that name no man: other things, and peoples.
_NOBODY = (
    "abdomen acumen amen bitumen brahman bremen caiman caimen catechumen cayman cyclamen dolmen foramen "
    "german hymen inhuman lumen nonhuman norman numen oman omen ottoman ramen regimen roman rumen semen "
    "shaman snowman snowmen somen specimen stamen strawman strawmen subhuman superhuman talisman turkmen "
    "walkman yemen"
)
_OTHERS = frozenset(_NOBODY.split())
# Two words that name nobody: “a queen bee”, “king-sized”.
_PHRASES = frozenset({*product(("king", "queen"), ("size", "sized")), *product(["queen"], ("bee", "bees"))})
# The same, but only with a hyphen: in “a man made a cake” there is a man.
_HYPHENATED = frozenset({("man", "made")})
_HYPHENS = ("-", "‐", "‑")


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "ch")) else f"{noun}s"


def _forms_of(gender: Gender) -> Iterator[str]:
    yield from _FORMS[gender].split()
    for noun in _NOUNS[gender].split():
        yield from (noun, _plural(noun))


WORDS: Mapping[str, Gender] = {word: gender for gender in Gender for word in _forms_of(gender)}


def gendered_words(*texts: str) -> list[str]:
    """Words that name women or men, each once, in their order. Neutral words are none of them."""
    found = [word for text in texts for word, gender in _named(text) if gender != Gender.NEUTRAL]
    return list(dict.fromkeys(found))


def gendered_places(*captions: str) -> list[tuple[int, str]]:
    """Each caption's gendered words, each with the number of its caption."""
    return [(place, word) for place, caption in enumerate(captions) for word in gendered_words(caption)]


def words_about_people(text: str) -> Sequence[str]:
    """Words of any of the three lists, each once, in their order."""
    return list(dict.fromkeys(word for word, _ in _named(text)))


def shown_by(text: str) -> Shown | None:
    """Who a text speaks of; None if it has no word of the lists.

    A neutral word beside gendered ones changes nothing: "a woman and their dog" speaks of women.
    """
    genders = {gender for _, gender in _named(text)}
    if {Gender.WOMEN, Gender.MEN} <= genders:
        return Shown.SEVERAL
    return next((Shown(gender) for gender in Gender if gender in genders), None)


def _named(text: str) -> Iterator[tuple[str, Gender]]:
    """Words of the lists as the lists have them: “woman's” is “woman”, and “she'll” is “she”."""
    for word, following in pairwise([*words_of(text), Word(same="", start=len(text))]):
        form = word.same if word.same in WORDS else word.same.partition("'")[0]
        gender = _gender_of(form)
        if gender and not _begins_phrase(form, following.same, written=text[word.start : following.start]):
            yield form, gender


def _begins_phrase(form: str, following: str, *, written: str) -> bool:
    """Whether a word and the next one name nobody. `written`: the word with the signs behind it."""
    phrase, has_hyphen = (form, following.partition("'")[0]), written.endswith(_HYPHENS)
    if phrase in _HYPHENATED:
        return has_hyphen
    return phrase in _PHRASES and (has_hyphen or written.rstrip()[-1:].isalpha())


def _gender_of(form: str) -> Gender | None:
    """Whom a word of the lists names, or one that ends as they do: “spokeswoman”, “milkmen”."""
    if form in WORDS or form in _OTHERS:
        return WORDS.get(form)
    return next((gender for end, gender in _ENDS.items() if form.endswith(end)), None)
