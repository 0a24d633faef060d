"""Where a release's associations come from: the game, or the SWOW baseline beside it."""

from crowd.releases.models import Release
from crowd.winogavil.models import Association

BASELINE = Association.Source.SWOW


def holds_game(release: Release) -> bool:
    """True if it is to hold associations of the game, whoever made them."""
    return set(release.sources) != {BASELINE}


def holds_baseline(release: Release) -> bool:
    """True if it is to hold the SWOW baseline, which has files and a column of its own."""
    return BASELINE in release.sources
