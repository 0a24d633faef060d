from crowd.winogavil.annotation.admin import annotations, cards

__all__ = ["annotations", "cards"]
