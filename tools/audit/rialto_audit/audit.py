"""One audit: an export, the epochs and the balances that the venue states, and the books that they must agree with.

Every module that judges has the same form: it takes each entry in order, raises Difference at the first that does
not fit, and is finished at the end. Another commitment of the venue is one more such module here.
"""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, Optional, TextIO

from .bodies import Bodies
from .books import Books
from .differences import Damaged, Difference
from .epochs import Epochs
from .export import Export
from .leaves import Leaves
from .liabilities import Statements
from .statement import Statement

Progress = Callable[[int, float], None]

_PROGRESS_EVENTS = 65_536


class Audit:
    """Reads one export to its end, or to the first difference."""

    def __init__(
        self,
        export: Export,
        epochs: Optional[TextIO],
        statement: Optional[TextIO],
        statements: Optional[TextIO],
    ) -> None:
        if export.first != 1:
            raise Damaged(
                f"the export begins at event {export.first}: books can only be recomputed from event 1"
            )
        self._export = export
        self.books = Books(export.terms)
        self.statement = None if statement is None else Statement(statement)
        leaves = Leaves(Bodies(export.schema, export.terms))
        self.epochs = None if epochs is None else Epochs(epochs, leaves)
        self.statements = (
            None if statements is None else Statements(statements, self.books, self.epochs)
        )
        self.took = 0.0

    def run(self, progress: Progress) -> None:
        """Raises Difference or Damaged; returns if everything agrees. `progress` is given entries and seconds."""
        began = time.perf_counter()
        books, epochs, statement = self.books, self.epochs, self.statement
        statements = self.statements
        for layout, event in self._export.events():
            try:
                books.apply(layout, event)
                if epochs is not None:
                    epochs.take(layout, event)
                if statements is not None:
                    statements.take(layout, event)
            except (KeyError, IndexError) as error:
                rule = "an entry names only markets, assets and codes that exist"
                raise Difference(event, rule, "a known one", repr(error)) from error
            if statement is not None and event.seq == statement.seq:
                statement.compare(books)
            if event.seq % _PROGRESS_EVENTS == 0:
                progress(event.seq, time.perf_counter() - began)
        if epochs is not None:
            epochs.finish()
        if statements is not None:
            statements.finish()
        books.check_conserved()
        if statement is not None and not statement.is_compared:
            if statement.seq != books.seq:
                raise Damaged(
                    f"the balances are of event {statement.seq}, which the export, up to {books.seq}, does not have"
                )
            statement.compare(books)
        self.took = time.perf_counter() - began

    def summary(self) -> Dict[str, Any]:
        """What was recomputed, for the report."""
        books, epochs = self.books, self.epochs
        head = None if epochs is None else epochs.head
        summary: Dict[str, Any] = {
            "entries": books.seq,
            "balances": sum(1 for _ in books.wallets.all()),
            "positions": sum(1 for _ in books.positions.all()),
            "statement_of": None if self.statement is None else self.statement.seq,
            "epochs": None if epochs is None else epochs.sealed,
            "leaves_recomputed": epochs is not None and epochs.is_opened,
            "liabilities_statements": None
            if self.statements is None
            else self.statements.checked,
            "entries_not_sealed": None if epochs is None else epochs.unsealed,
            "head_epoch": None if head is None else head.epoch,
            "head_root": None if head is None else head.root,
            "seconds": round(self.took, 3),
        }
        if self.took > 0:
            summary["entries_per_second"] = round(books.seq / self.took)
        return summary
