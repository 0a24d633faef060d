from datetime import datetime

from django.apps import AppConfig


class PlayConfig(AppConfig):
    name = "crowd.winogavil.play"
    label = "winogavil_play"
    verbose_name = "Web game"

    def ready(self) -> None:
        from crowd.winogavil.play.services import purged_players

        purged_players.register()

    def was_put_back(self, *, copied_at: datetime | None) -> None:
        """End all sessions after a restore: players signed in when the copy was made are not now."""
        from crowd.winogavil.play.models import PlayerSession

        PlayerSession.objects.all().delete()
