from django.db import models


class OpenIdLink(models.Model):
    """Whom an identity provider means by a subject. The subject stays when names and addresses change."""

    user = models.ForeignKey("hits.User", models.CASCADE, related_name="openid_links")
    issuer = models.CharField(max_length=255)
    subject = models.CharField(max_length=255)
    linked_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="openid_subject_once"),
            models.UniqueConstraint(fields=["user", "issuer"], name="openid_issuer_once"),
        ]
