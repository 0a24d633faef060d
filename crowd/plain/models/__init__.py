from crowd.plain.models.projects import Project
from crowd.plain.models.rows import Description, Row, RowPicture

__all__ = ["Description", "Project", "Row", "RowPicture"]
