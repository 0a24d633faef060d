"""Life of an annotation: drawn from selected associations, asked, final, and away while pulled."""
