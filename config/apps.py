from django.apps import AppConfig


class ConfigApp(AppConfig):
    """An app for its management commands, templates and static files; and whatever runs is connected here."""

    name = "config"

    def ready(self) -> None:
        from config.wake_channel import make_channel
        from hits.common import wake

        wake.connect(make_channel())
