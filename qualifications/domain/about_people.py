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
        return isinstance(answer, int) and ADULT <= answer <= OLDEST
    return question in CHOICES and answer in CHOICES[question]
