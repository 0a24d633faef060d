from typing import Any

from django.db import models
from django.db.models.query_utils import DeferredAttribute

from hits.core import crypto


class SealedText(str):
    """A value as it is in the database: encrypted."""

    __slots__ = ()


class SealedAttribute(DeferredAttribute):
    """Attribute that decrypts on access: one row whose key is lost stops no list and no sweep over others."""

    def __get__(self, instance: Any, cls: Any = None) -> Any:
        value = super().__get__(instance, cls)
        if isinstance(value, SealedText):
            value = instance.__dict__[self.field.attname] = crypto.unseal(value)
        return value

    def __set__(self, instance: Any, value: Any) -> None:
        """Store the value. A class with `__set__` is asked before the instance's own dictionary."""
        instance.__dict__[self.field.attname] = value


class EncryptedTextField(models.TextField):  # type: ignore[type-arg]
    """Text, plain in Python and encrypted in the database. No search: keep a blind index beside it.

    An empty text stays empty, so that rows without one can be found. Reading the field raises cryptography's
    InvalidToken if none of the configured keys opens it.
    """

    descriptor_class = SealedAttribute

    def get_prep_value(self, value: Any) -> str | None:
        return crypto.seal(str(value)) if value not in (None, "") else value

    def from_db_value(self, value: str | None, *_: object) -> str | None:
        return SealedText(value) if value else value
