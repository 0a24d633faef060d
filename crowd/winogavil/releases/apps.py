from django.apps import AppConfig


class ReleasesConfig(AppConfig):
    name = "crowd.winogavil.releases"
    label = "winogavil_releases"
    verbose_name = "Association game: data"

    def ready(self) -> None:
        from crowd.winogavil import uploaded_models
        from crowd.winogavil.releases.queries import players_board

        uploaded_models.register_uploaded_models(players_board.uploaded_models)
