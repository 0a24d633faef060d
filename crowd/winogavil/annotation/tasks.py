from crowd.winogavil.annotation.services import finalizing
from hits.common import clock
from hits.common.sweeps import sweep


@sweep("winogavil.finalize_annotations", rest_s=5)
def finalize_annotations() -> None:
    finalizing.finalize_annotations(now=clock.now())
