"""Rules of a described page, of the answers to it, and of how far people agree."""

ASK = "plain.ask"
