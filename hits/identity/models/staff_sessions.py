from django.db import models


class StaffSession(models.Model):
    """A sign-in of one person on one device. It is in force while Django's session of this key is."""

    user = models.ForeignKey("hits.User", models.CASCADE, related_name="staff_sessions")
    session_key = models.CharField(max_length=40, unique=True)
    device = models.CharField(max_length=80, help_text="Program and machine in plain words.")
    began_at = models.DateTimeField()
    seen_at = models.DateTimeField(help_text="Exact to five minutes.")

    class Meta:
        default_permissions = ()
