"""Fields that several resources share."""

from typing import Any

from rest_framework import serializers


class PublicId(serializers.SlugRelatedField[Any]):
    """Another row, by its public id."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(slug_field="public_id", read_only=True, **kwargs)


class Pseudonym(serializers.SlugRelatedField[Any]):
    """A worker, as we call them. The provider's id is in no answer of this API."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(slug_field="pseudonym", read_only=True, **kwargs)


class UserName(serializers.SlugRelatedField[Any]):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(slug_field="username", read_only=True, **kwargs)


class Empty(serializers.Serializer[Any]):
    """Nothing: what a verb without parameters takes."""
