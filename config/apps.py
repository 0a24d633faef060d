from importlib import import_module

from django.apps import AppConfig
from django.conf import settings


class ConfigApp(AppConfig):
    """An app for its management commands, templates and static files; and whatever runs is connected here."""

    name = "config"

    def ready(self) -> None:
        """The application of Celery is made before any task is sent. The marketplace alone sends none."""
        from config.waking import make_channel
        from hits.common import waking

        waking.connect(make_channel())
        if not settings.MARKETPLACE_ALONE:
            import_module("config.celery")
