from django.apps import AppConfig


class PicturesConfig(AppConfig):
    name = "crowd.pictures"
    verbose_name = "Picture pool"

    def ready(self) -> None:
        from crowd.pictures.queries.pictures_of_items import find_kept
        from scoring.services.picture_places import register_finder

        register_finder(find_kept)
