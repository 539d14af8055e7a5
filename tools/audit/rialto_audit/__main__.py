"""`python -m rialto_audit EXPORT`: prints what agrees or the first entry that differs (AUD-1 to AUD-4).

Exit codes: 0 everything agrees, 1 something differs, 2 usage, or a file that is damaged or cannot be read.
"""

from __future__ import annotations

import argparse
import json
import struct
import sys
from contextlib import ExitStack
from typing import Any, Dict, Optional, TextIO

from .audit import Audit
from .differences import Damaged, Difference
from .export import Export

AGREES, DIFFERS, USAGE = 0, 1, 2

# What a file of another form raises, such as a field that is missing or of another type.
_UNREADABLE = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    struct.error,
)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="rialto_audit",
        description="Recomputes a venue's books from an exported journal and names the first entry that differs.",
    )
    parser.add_argument("export", help="file of `rialto journal export`; - is standard input")
    parser.add_argument(
        "--epochs", metavar="FILE", help="epochs that the venue sealed (`--epochs` of the export)"
    )
    parser.add_argument(
        "--balances",
        metavar="FILE",
        help="balances that the venue states (`--balances` of the export)",
    )
    parser.add_argument(
        "--statements",
        metavar="FILE",
        help="statements of liabilities with the keys of their epochs (`--statements` of the export)",
    )
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object")
    return parser.parse_args()


def _progress(entries: int, seconds: float) -> None:
    if sys.stderr.isatty():
        print(
            f"\r{entries:,} entries, {entries / max(seconds, 1e-9):,.0f}/s ",
            end="",
            file=sys.stderr,
            flush=True,
        )


def _print(result: Dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        if value is not None:
            print(f"{name.replace('_', ' ')}: {value}")


def _run(options: argparse.Namespace, files: ExitStack) -> int:
    def text(path: Optional[str]) -> Optional[TextIO]:
        return None if path is None else files.enter_context(open(path, encoding="utf-8"))

    file = (
        sys.stdin.buffer
        if options.export == "-"
        else files.enter_context(open(options.export, "rb"))
    )
    export = Export(file)
    try:
        audit = Audit(
            export, text(options.epochs), text(options.balances), text(options.statements)
        )
        audit.run(_progress)
    except Difference as difference:
        _print({"result": "differs", **difference.facts(export.terms.asset_codes)}, options.json)
        return DIFFERS
    _print({"result": "agrees", **audit.summary()}, options.json)
    return AGREES


def main() -> int:
    """Runs one audit and returns the exit code."""
    options = _arguments()
    try:
        with ExitStack() as files:
            return _run(options, files)
    except (Damaged, OSError, UnicodeDecodeError) as error:
        print(f"{options.export}: {error}", file=sys.stderr)
        return USAGE
    except _UNREADABLE as error:
        print(f"{options.export}: a file has another form: {error!r}", file=sys.stderr)
        return USAGE


if __name__ == "__main__":
    sys.exit(main())
