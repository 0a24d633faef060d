from uuid import uuid4

from django.contrib.auth.models import AbstractUser
from django.db import models


class User(AbstractUser):
    """A person who signs in to the admin: researcher, reviewer or payments staff. Workers are not users."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    second_factor = models.OneToOneField(
        "hits.SecondFactor", models.SET_NULL, null=True, editable=False, related_name="user"
    )


class RoleGrant(models.Model):
    """A permission that a role's group was given once. A superuser may have taken it away since."""

    role = models.CharField(max_length=150)
    permission = models.CharField(max_length=200, help_text="Such as hits.launch_batch.")

    class Meta:
        default_permissions = ()
        constraints = (models.UniqueConstraint(fields=("role", "permission"), name="permission_given_once"),)
