import pytest
from django.conf import LazySettings


@pytest.fixture(autouse=True)
def _quick_passwords(settings: LazySettings) -> None:
    """Hash passwords quickly, since many players register here; a test of its own checks for Argon2."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
