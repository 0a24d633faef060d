from crowd.winogavil.annotation.admin import annotations, panels

__all__ = ["annotations", "panels"]
