from typing import Any

from django.db import models
from django.db.models.query_utils import DeferredAttribute

from hits.core import crypto


class SealedText(str):
    """As it lies in the database."""

    __slots__ = ()


class SealedAttribute(DeferredAttribute):
    """Opened by whoever asks for it: one row whose key is lost stops no list and no sweep over others."""

    def __get__(self, instance: Any, cls: Any = None) -> Any:
        value = super().__get__(instance, cls)
        if isinstance(value, SealedText):
            value = instance.__dict__[self.field.attname] = crypto.unseal(value)
        return value

    def __set__(self, instance: Any, value: Any) -> None:
        """With it, Python asks this class before it looks into the row."""
        instance.__dict__[self.field.attname] = value


class EncryptedTextField(models.TextField):  # type: ignore[type-arg]
    """Plain in Python, sealed in the database. Cannot be searched: keep a blind index beside it.

    Nothing is sealed as nothing, so that rows without a text can be found. Reading it from a row raises
    cryptography's InvalidToken where no key of ours opens it.
    """

    descriptor_class = SealedAttribute

    def get_prep_value(self, value: Any) -> str | None:
        return crypto.seal(str(value)) if value not in (None, "") else value

    def from_db_value(self, value: str | None, *_: object) -> str | None:
        return SealedText(value) if value else value
