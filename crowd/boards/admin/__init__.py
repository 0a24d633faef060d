from crowd.boards.admin.board_pages import BoardAdmin

__all__ = ["BoardAdmin"]
