from uuid import uuid4

from django.contrib.auth.models import AbstractUser
from django.db import models


class User(AbstractUser):
    """Somebody who signs in to the admin: researchers, reviewers, payments staff. Workers are not users."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
