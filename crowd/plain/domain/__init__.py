"""A page as somebody describes it, what is answered on it, and how far people agree."""

ASK = "plain.ask"
