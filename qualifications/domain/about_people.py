"""Questions to workers about themselves, and the possible answers."""

from collections.abc import Mapping

ADULT, OLDEST = 18, 120
AGE = "age"
# The possible answers to each question but the age.
CHOICES: Mapping[str, tuple[str, ...]] = {
    "gender": ("woman", "man", "nonbinary", "other"),
    "education": ("less_than_school", "school", "some_college", "bachelor", "master", "doctorate", "other"),
    "native_english": ("yes", "no"),
}
QUESTIONS = (AGE, *CHOICES)


def is_offered(question: str, answer: object) -> bool:
    """Whether the question offers this answer; what it does not offer is neither kept nor counted."""
    if question == AGE:
        return _band(answer) if isinstance(answer, int) else ""
    return str(answer) if answer in CHOICES[question] else ""


def groups_of(question: str) -> tuple[str, ...]:
    """In the order in which they are shown."""
    return tuple(map(_band, BANDS)) if question == AGE else CHOICES[question]


def error_at(place: float) -> int:
    """An error for a place between 0 and 1: as often above as below, large ones rare, none impossible."""
    far, within = abs(2 * place - 1), 1 - FADING
    share = within / (1 + FADING)  # of exactly 0
    error = 0
    reached, step = share, share
    while far >= reached and error < 100:
        error += 1
        step *= FADING
        reached += 2 * step
    return error if place >= 1 / 2 else -error


def shown_count(count: int, *, error: int) -> int | None:
    """A multiple of five, or None: too few to be told of, be it truly or by the error."""
    if count < FEWEST:
        return None
    near = FEWEST * round((count + error) / FEWEST)
    return near if near >= FEWEST else None


def _band(age: int) -> str:
    if not ADULT <= age <= OLDEST:
        return ""
    first = max(band for band in BANDS if band <= age)
    following = [band for band in BANDS if band > first]
    return f"{first}-{following[0] - 1}" if following else f"{first}+"
