from collections.abc import Iterator, Mapping

from django.apps import AppConfig

from hits.common.health.findings import Finding


class PicturesConfig(AppConfig):
    name = "crowd.pictures"
    verbose_name = "Picture pool"

    def examine_copy(self, *, pictures: Mapping[str, str] | None) -> Iterator[Finding]:
        """Check the pictures, where the copy holds any."""
        from crowd.pictures.queries.copied_pictures import examine_copied_pictures

        return iter(()) if pictures is None else examine_copied_pictures(pictures)

    def ready(self) -> None:
        from crowd.pictures.queries.pictures_of_items import find_kept
        from crowd.pictures.services import purged_picture_reports
        from scoring.services.picture_places import register_finder

        register_finder(find_kept)
        purged_picture_reports.register()
