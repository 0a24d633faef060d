from django.apps import AppConfig


class PlayConfig(AppConfig):
    name = "crowd.winogavil.play"
    label = "winogavil_play"
    verbose_name = "Web game"
