from crowd.winogavil.annotation.models.annotations import Annotation, Judgement
from crowd.winogavil.annotation.models.draws import Draw, Kind

__all__ = ["Annotation", "Draw", "Judgement", "Kind"]
