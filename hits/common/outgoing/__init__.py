"""Messages to addresses that others have given: none reaches this machine's own network."""


class Undeliverable(Exception):
    """The delivery failed. The words are for whoever gave the address.

    `is_unclear`: it was sent, and no answer came, so it may have arrived.
    """

    def __init__(self, words: str, *, is_unclear: bool = False) -> None:
        super().__init__(words)
        self.is_unclear = is_unclear
