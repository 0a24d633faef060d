"""The table of the special words by their part of speech."""

from fractions import Fraction

from crowd.winoventi.challenge.queries.part_counts import PartCounts, part_counts
from crowd.winoventi.domain.parts_of_speech import NAMES
from crowd.winoventi.models import Project
from hits.core.domain.counted_nouns import plural
from hits.datasets.bars import draw_bars
from hits.datasets.columns import TEXT
from hits.datasets.stat_table import SHARE, StatTable, head

NO_TAGGER = "No tagger is chosen. Choose one in the settings, and the special words are tagged by themselves."
COLUMNS = (
    head("Part of speech", TEXT),
    head("Tag", TEXT),
    head("Words"),
    head("Share", SHARE),
    head("In generic sentences"),
    head("In exception sentences"),
    head("Corrected by hand"),
)


def parts_table(project: Project) -> StatTable:
    found = part_counts(project)
    rows = [
        (
            NAMES[one.part],
            one.part,
            one.words,
            Fraction(one.words, found.words),
            one.generic,
            one.exception,
            one.corrected,
        )
        for one in found.parts
    ]
    return StatTable(
        name="parts",
        title="Parts of speech of the special words",
        columns=COLUMNS,
        rows=rows,
        about=f"Each valid pair has two special words, each read in its own sentence. Told by "
        f"{found.tagger}. Where a person has corrected it, the correction counts.",
        empty=_how_far(found) or (NO_TAGGER if project.tagger_id is None else "No pair is valid yet."),
        note=" ".join(filter(None, (_how_far(found), no_word(found.without_words)))),
        bars=draw_bars((NAMES[one.part], one.words, str(one.words)) for one in found.parts) if rows else None,
    )


def no_word(pairs: int) -> str:
    """Words about valid pairs without a bracket, which only a recording brings."""
    if pairs < 1:
        return ""
    return f"{plural(pairs, 'valid pair')} without a special word, recorded without a bracket: left out here."


def _how_far(found: PartCounts) -> str:
    """What the tagger has yet to tell, and why it does not; empty where nothing is open."""
    run = found.run
    if run is None:
        return ""
    waiting = f"The tagger is being asked: {plural(run.waiting, 'pair')} to go." if run.is_open else ""
    failed = f"{plural(run.failed, 'pair')} could not be tagged." if run.failed else ""
    return " ".join(filter(None, (waiting, failed, run.problem)))
