import secrets

from django.db import models


def new_key() -> str:
    return secrets.token_urlsafe(16)


class Picture(models.Model):
    """A picture of the pool. Its address is unguessable and says nothing of what it shows."""

    key = models.CharField(max_length=32, unique=True, default=new_key, editable=False)
    sha256 = models.CharField(max_length=64, unique=True)
    concept = models.CharField(max_length=64, db_index=True)
    caption = models.CharField(max_length=500, blank=True)
    file = models.FileField(upload_to="pictures/")
    media_type = models.CharField(max_length=32)
    source = models.CharField(max_length=500, blank=True)
    credit = models.CharField(max_length=500, blank=True)
    licence = models.CharField(max_length=64, blank=True)
    added_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.concept
