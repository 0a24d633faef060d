from django.apps import AppConfig


class PicturesConfig(AppConfig):
    name = "crowd.pictures"
    verbose_name = "Picture pool"
