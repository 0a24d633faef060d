from django.apps import AppConfig


class ConfigApp(AppConfig):
    """The app of the commands, templates and static files; it also connects the channel that wakes sweeps."""

    name = "config"

    def ready(self) -> None:
        from config.wake_channel import make_channel
        from hits.common import wake

        wake.connect(make_channel())
