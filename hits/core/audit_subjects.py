"""Subjects of audit events: how their kinds begin, and the words a list is filtered by."""

from collections.abc import Mapping

SUBJECTS: dict[str, str] = {
    "run.": "Bonus runs",
    "bonus.": "Single bonuses",
    "compensation.": "HITs that pay a bonus",
    "hit.": "HITs that were ended early",
    "copy.": "Copies of everything",
    "halt.": "The kill switch",
    "epoch.": "What was put back from a copy",
    "match.": "Comparisons with the provider",
    "difference.": "Differences",
    "deposit.": "Deposits",
    "withdrawal.": "Withdrawals",
    "appeal.": "Appeals",
    "wage": "Wages",
    "study.": "Studies and their bonus tables",
    "picture.": "Pictures of the pool",
    "swow.": "Association lists",
    "file.": "Downloaded files",
    "user.": "Roles and studies of users",
    "sign_in.": "Attempts to sign in",
    "second_factor.": "Second factors",
    "session.": "Sessions that were ended",
    "alert.": "What staff are told",
}


def register(subjects: Mapping[str, str]) -> None:
    """Add the subjects that a higher room writes about. Called from its AppConfig.ready."""
    SUBJECTS.update(subjects)
