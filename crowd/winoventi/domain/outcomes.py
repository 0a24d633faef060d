"""When a pair fails its validation: “yes” is bad on all four questions."""

from collections import Counter
from collections.abc import Collection, Iterable
from enum import StrEnum


class Question(StrEnum):
    GENERIC_SYNONYM = "generic_synonym"
    EXCEPTION_SYNONYM = "exception_synonym"
    EXCEPTION_FITS_GENERIC = "exception_fits_generic"
    GENERIC_FITS_EXCEPTION = "generic_fits_exception"


QUESTIONS = tuple(Question)
BY_QUESTION = "question"
BY_WORKER = "worker"


def why_failed(objections: Iterable[Collection[str]], *, by: str, at: int) -> list[str]:
    """Questions that a pair fails by, in order; none: the pair is valid.

    `objections` holds the questions that each worker objects to. By question: one question has at least so
    many “yes”. By worker: at least enough workers object to anything, and then every objection is a reason.
    """
    of_workers = [set(objected) for objected in objections]
    times = Counter(question for objected in of_workers for question in objected)
    if by == BY_WORKER:
        fails = sum(map(bool, of_workers)) >= at
        return [question for question in QUESTIONS if fails and times[question]]
    return [question for question in QUESTIONS if times[question] >= at]
