from crowd.pictures.models.imports import Import, Request
from crowd.pictures.models.originals import Original
from crowd.pictures.models.picture_reports import Report
from crowd.pictures.models.pictures import Picture, Unfit, new_key

__all__ = ["Import", "Original", "Picture", "Report", "Request", "Unfit", "new_key"]
