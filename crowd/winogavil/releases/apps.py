from django.apps import AppConfig


class ReleasesConfig(AppConfig):
    name = "crowd.winogavil.releases"
    label = "winogavil_releases"
    verbose_name = "Association game: data"
