"""From selected associations to what people say of them: drawn, asked, final, and away while pulled."""
