from django.apps import AppConfig


class ConfigApp(AppConfig):
    """An app only for its management commands, templates and static files."""

    name = "config"
