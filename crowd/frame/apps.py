from django.apps import AppConfig


class FrameConfig(AppConfig):
    name = "crowd.frame"

    def ready(self) -> None:
        from crowd.frame.previews.preview_desk import PAGE
        from hits.admin.batches import batch_pages

        batch_pages.announce(PAGE)
