from django.utils import timezone

from crowd.winogavil.releases.services import making
from hits.common.sweeps import sweep


@sweep("winogavil.write_releases", rest_s=2, due_at=making.next_release)
def write_releases() -> None:
    making.write_releases(clock=timezone.now)
