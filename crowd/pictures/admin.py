from django.contrib import admin
from django.utils.html import format_html
from django.utils.safestring import SafeString

from crowd.pictures.models import Picture
from crowd.pictures.services import describe_picture


@admin.register(Picture)
class PictureAdmin(admin.ModelAdmin[Picture]):
    list_display = ("thumbnail", "concept", "caption", "credit", "licence", "added_at")
    list_display_links = ("concept",)
    search_fields = ("concept", "caption", "sha256")
    readonly_fields = ("sha256", "media_type", "thumbnail", "added_at")
    exclude = ("file",)

    def has_add_permission(self, request: object) -> bool:
        """Pictures enter through an import, which hashes them."""
        return False

    def save_model(self, request: object, obj: Picture, form: object, change: object) -> None:
        describe_picture(obj)

    @admin.display(description="picture")
    def thumbnail(self, picture: Picture) -> SafeString:
        return format_html(
            '<img src="/pictures/{}/" alt="{}" width="48" height="48">', picture.key, picture.concept
        )
