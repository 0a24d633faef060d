"""What a person has beside the password: a secret in an authenticator program, and codes for its loss."""

from django.db import models

from hits.core.models.fields import EncryptedTextField


class SecondFactor(models.Model):
    """A secret that its owner's program and this system share. Its user names it once a code was right."""

    secret = EncryptedTextField()
    made_at = models.DateTimeField()
    last_step = models.BigIntegerField(help_text="Step of the newest code that was used: each counts once.")

    class Meta:
        default_permissions = ()


class RecoveryCode(models.Model):
    """A code on paper that signs its owner in once. Only a digest is kept."""

    factor = models.ForeignKey(SecondFactor, models.CASCADE, related_name="recovery_codes")
    digest = models.CharField(max_length=64)
    used_at = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["factor", "digest"], name="recovery_code_once")]
