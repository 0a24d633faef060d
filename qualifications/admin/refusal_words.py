"""Reasons of refusals in words for researchers. Workers are shown other words, where it happens."""

WORDS = {
    # hits.work.services.eligibility and working
    "blocked": "The worker is blocked",
    "took_part": "Took part in a batch that this one excludes",
    "repeat_group": "Took part in the series already",
    "for_another": "The HIT pays one bonus to another worker",
    "other_shard": "Worked on the same task in another HIT",
    "not_open": "The work was over",
    "no_place": "Every place of the HIT was taken",
    "deadline": "The time was over",
    "already_saved": "Submitted already",
    "other_role": "Is asked only of people of another role",
    # the page of work that had nothing left to ask
    "nothing_answered": "Accepted, and everything had been answered, or was being answered",
    "nothing_narrowed": "Accepted, and what was left is kept for people who are new to it",
    "nothing_known": "Accepted, and all that was left was their own, or answered by them before",
    # gates
    "not_tested": "Had not taken the test yet",
    "test_started": "Had begun the test in another HIT",
    "test_waiting": "The test waits for its grade",
    "test_failed": "Had not passed the test",
    "test_used": "Had used the attempt up",
    "passed_already": "Tried to take a test that was passed already",
    "may_retry": "May try the test again, but had not yet",
    "revoked": "The gate had been taken back",
}


def refusal_in_words(code: str) -> str:
    """The reason in words, or the code of a reason that has none."""
    return WORDS.get(code) or code.replace("_", " ").capitalize()
