"""Keys of the REST API, each with its scopes, an end, and its last use."""

from uuid import uuid4

from django.db import models


class ApiToken(models.Model):
    """A key that is shown once, when it is made; only a digest is kept. It can do no more than its owner."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    user = models.ForeignKey("hits.User", models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=64, help_text="What the token is for: a notebook, a script.")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, editable=False)
    revoked_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        verbose_name = "API token"
        constraints = [models.UniqueConstraint(fields=["user", "name"], name="api_token_named_once")]

    def __str__(self) -> str:
        return self.name
