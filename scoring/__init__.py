"""How work is judged: pure rules, rival models, recorded scores."""
