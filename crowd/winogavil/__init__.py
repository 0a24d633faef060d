"""The association game: a cue, pictures, and which of them belong to the cue."""
