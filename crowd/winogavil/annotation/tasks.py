from crowd.winogavil.annotation.services import final_annotations
from hits.common import clock
from hits.common.sweeps import sweep


@sweep("winogavil.finalize_annotations", rest_s=5)
def finalize_annotations() -> None:
    final_annotations.finalize_annotations(now=clock.now())
