"""What is done to the pool. The names that other rooms use stand here."""

from crowd.pictures.services.picture_entry import NewPicture, add_picture, describe_picture, tell_rivals
from crowd.pictures.services.picture_reports import report_picture

__all__ = ["NewPicture", "add_picture", "describe_picture", "report_picture", "tell_rivals"]
