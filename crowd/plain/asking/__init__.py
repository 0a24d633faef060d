"""The page that workers see."""
