from django.apps import AppConfig


class ReleasesConfig(AppConfig):
    name = "crowd.winogavil.releases"
    label = "winogavil_releases"
    verbose_name = "Association game: data"

    def ready(self) -> None:
        from crowd.winogavil.releases.exporting import WinogavilExport
        from hits import exports

        exports.register(WinogavilExport())
