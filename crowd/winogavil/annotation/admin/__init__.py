from crowd.winogavil.annotation.admin import annotations

__all__ = ["annotations"]
