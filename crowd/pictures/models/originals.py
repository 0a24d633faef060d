from django.conf import settings
from django.db import models

from crowd.pictures.models.pictures import Picture


class Original(models.Model):
    """The very bytes that a person sent in, for the record. No worker is served them."""

    picture = models.ForeignKey(Picture, models.PROTECT, related_name="originals")
    sha256 = models.CharField("SHA-256", max_length=64)
    file = models.FileField(upload_to="originals/")
    name = models.CharField("name of the file", max_length=200, blank=True)
    bytes = models.PositiveIntegerField()
    # A member of staff; any other sender is named in words: "designer 12".
    sent_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    sender = models.CharField(max_length=80, blank=True)
    sent_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        permissions = [("view_original", "Can download pictures as they were uploaded")]
        constraints = [
            models.UniqueConstraint(fields=["picture", "sha256"], name="original_once_per_picture"),
        ]

    def __str__(self) -> str:
        return self.name or self.sha256
