from pathlib import Path

from django.apps import AppConfig
from django.conf import settings
from django.contrib.admin.apps import SimpleAdminConfig


class CrowdAdminConfig(SimpleAdminConfig):
    """Django's admin with our site; its pages are loaded with the addresses."""

    default_site = "hits.admin.home.site.CrowdAdminSite"


class ConfigApp(AppConfig):
    """The app of the commands, templates and static files; it also connects the channel that wakes sweeps."""

    name = "config"

    def ready(self) -> None:
        from config.wake_channel import make_channel
        from config.watching import errors_hook, kept_counts
        from hits.common import wake

        wake.connect(make_channel())
        if settings.METRICS_TOKEN:
            kept_counts.connect(Path(settings.DATA_DIR) / "metrics")
        if settings.ERRORS_DSN:
            errors_hook.connect()
