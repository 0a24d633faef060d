import pytest
from django.conf import LazySettings


@pytest.fixture(autouse=True)
def _quick_passwords(settings: LazySettings) -> None:
    """Many players register here; that the real hasher is Argon2 has a test of its own."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
