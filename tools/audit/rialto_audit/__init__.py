"""Recomputes the books of a Rialto venue from an exported journal, from its documents alone (spec AUD)."""
