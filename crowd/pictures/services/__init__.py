"""Services of the pool, with the names that other rooms use."""

from crowd.pictures.services.picture_entry import NewPicture, add_picture, describe_picture, tell_rivals
from crowd.pictures.services.picture_reports import report_picture

__all__ = ["NewPicture", "add_picture", "describe_picture", "report_picture", "tell_rivals"]
