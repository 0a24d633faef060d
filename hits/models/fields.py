from typing import Any

from django.db import models

from hits import seals


class EncryptedTextField(models.TextField):  # type: ignore[type-arg]
    """Plain in Python, sealed in the database. Cannot be searched: keep a blind index beside it."""

    def get_prep_value(self, value: Any) -> str | None:
        return None if value is None else seals.seal(str(value))

    def from_db_value(self, value: str | None, *_: object) -> str | None:
        return None if value is None else seals.unseal(value)
