from django.utils import timezone

from crowd.releases.services import release_states
from hits.common.sweeps import sweep


@sweep("releases.write_releases", rest_s=2, due_at=release_states.next_release)
def write_releases() -> None:
    release_states.write_releases(clock=timezone.now)
