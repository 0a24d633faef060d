from django.apps import AppConfig


class FrameConfig(AppConfig):
    name = "crowd.frame"
