"""Checks of a recording: the rules of live work only warn, and only impossible rows are left out."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from crowd.pictures.profanity import is_profane
from crowd.winogavil import domain
from crowd.winogavil.models import Association, Game, Place

# Rules of intake and eligibility, in the order they are printed. Each is counted where it is broken.
WARNINGS = {
    "cue_not_a_word": "the cue is not one word of 2 to 30 letters",
    "cue_profane": "the cue is a profane word",
    "cue_names_picture": "the cue is the name of a picture of its set",
    "cue_repeated_in_set": "the set has the same cue already, whatever its case",
    "candidates_outside_rule": "a set has 5, 6, 10 or 12 candidates",
    "chosen_outside_rule": "2 or 3 of 5 are chosen, 2 to 4 of 6, 2 to 5 of 10 or 12",
    "prediction_of_another_number": "the rival picked more or fewer than were chosen",
    "more_than_three_spymasters": "a set has cues of more than three spymasters",
    "more_than_two_cues": "a spymaster has more than two cues for a set",
    "no_solver": "nobody solved it, so that it is never final",
    "fewer_than_three_solvers": "one or two solved it",
    "more_than_three_solvers": "four or more solved it",
    "solved_by_its_author": "a solver solved a cue of their own",
    "picked_another_number": "a solver picked more or fewer than were chosen",
    "number_left_out": "the associations are numbered upwards, and a number in between is missing",
}
# Rows that cannot be recorded as work: they are left out and counted.
IMPOSSIBLE = {
    "candidate_twice": "one name stands for two candidates",
    "nothing_chosen": "no candidate was chosen",
    "chosen_not_a_candidate": "something was chosen that was not shown, or twice",
    "predicted_not_a_candidate": "the rival picked something that was not shown, or twice",
    "too_long": "a name or the cue is longer than the database keeps",
    "solution_of_nothing": "a solution of an association that is not in the file",
    "solution_twice": "a second solution of one solver",
    "picked_not_a_candidate": "a solver picked something that was not shown, or twice",
}
LEFT_OUT = ("number_left_out", *IMPOSSIBLE)
NUMBERED = re.compile(r"(.*?)([0-9]{1,18})")
LONGEST_NAME = Association._meta.get_field("recorded_as").max_length or 0
LONGEST_CUE = Association._meta.get_field("cue").max_length or 0
LONGEST_LABEL = Place._meta.get_field("label").max_length or 0


@dataclass(frozen=True, kw_only=True)
class Solved:
    worker: str
    picked: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Recording:
    """One association and its solutions, as they were recorded."""

    name: str
    worker: str
    cue: str
    candidates: tuple[str, ...]
    chosen: tuple[str, ...]
    predicted: tuple[str, ...]
    solved: tuple[Solved, ...] = ()


def why_impossible(recording: Recording) -> str:
    """Key of IMPOSSIBLE that says why a recording cannot be stored; empty if it can."""
    candidates = recording.candidates
    if len(set(candidates)) < len(candidates):
        return "candidate_twice"
    if not recording.chosen:
        return "nothing_chosen"
    if not are_candidates(recording.chosen, candidates):
        return "chosen_not_a_candidate"
    if not are_candidates(recording.predicted, candidates):
        return "predicted_not_a_candidate"
    return "" if _is_kept_whole(recording) else "too_long"


def are_candidates(names: Sequence[str], candidates: Sequence[str]) -> bool:
    return len(set(names)) == len(names) and set(names) <= set(candidates)


def numbers_left_out(names: Iterable[str]) -> int:
    """How many numbers names such as A0007 and A0009 leave out; 0 if the names do not count upwards."""
    prefix, last, left_out = "", None, 0
    for name in names:
        found = NUMBERED.fullmatch(name)
        if not found or (last is not None and (found[1] != prefix or int(found[2]) <= last)):
            return 0
        left_out += 0 if last is None else int(found[2]) - last - 1
        prefix, last = found[1], int(found[2])
    return left_out


def count_broken(recording: Recording, *, game: Game) -> Counter[str]:
    """Count how often one association breaks each of the rules of live work."""
    return Counter(_broken(recording, game=game))


def _broken(recording: Recording, *, game: Game) -> Iterator[str]:
    cue, candidates, k = recording.cue, len(recording.candidates), len(recording.chosen)
    if not (domain.CUE_WITH_MARKS if game.inner_marks else domain.CUE).fullmatch(cue):
        yield "cue_not_a_word"
    if is_profane(cue):
        yield "cue_profane"
    if not game.names_allowed and domain.is_name_of(cue, recording.candidates):
        yield "cue_names_picture"
    if candidates not in domain.SIZES:
        yield "candidates_outside_rule"
    elif not domain.FEWEST_CHOSEN <= k <= domain.MOST_CHOSEN[candidates]:
        yield "chosen_outside_rule"
    if len(recording.predicted) != k:
        yield "prediction_of_another_number"
    yield from _broken_by_solvers(recording)


def _broken_by_solvers(recording: Recording) -> Iterator[str]:
    solvers = len(recording.solved)
    if not solvers:
        yield "no_solver"
    elif solvers != domain.SOLVERS_WANTED:
        yield f"{'fewer' if solvers < domain.SOLVERS_WANTED else 'more'}_than_three_solvers"
    for solution in recording.solved:
        if solution.worker == recording.worker:
            yield "solved_by_its_author"
        if len(solution.picked) != len(recording.chosen):
            yield "picked_another_number"


def _is_kept_whole(recording: Recording) -> bool:
    longest_label = max(map(len, recording.candidates))
    return (
        len(recording.name) <= LONGEST_NAME
        and len(recording.cue) <= LONGEST_CUE
        and longest_label <= LONGEST_LABEL
    )
