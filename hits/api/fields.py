"""Fields that several resources share."""

from typing import Any

from rest_framework import serializers


class PublicId(serializers.SlugRelatedField[Any]):
    """Another row, by its public id."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(slug_field="public_id", read_only=True, **kwargs)


class Pseudonym(serializers.SlugRelatedField[Any]):
    """A worker, by pseudonym. No answer of this API contains the provider's id."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(slug_field="pseudonym", read_only=True, **kwargs)


class UserName(serializers.SlugRelatedField[Any]):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(slug_field="username", read_only=True, **kwargs)


class YesNo(serializers.BooleanField):
    """A truth value for a form of the admin that has two buttons, “yes” and “no”."""

    def to_internal_value(self, data: Any) -> Any:
        return "yes" if super().to_internal_value(data) else "no"


class Empty(serializers.Serializer[Any]):
    """The empty body of a verb without parameters."""
