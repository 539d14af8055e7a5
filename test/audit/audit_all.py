"""Runs many audits in one process, some of them by a kit with one check switched off.

Reads a JSON list of `{"arguments": […], "rule": …}` from standard input, and prints a JSON list of what each audit
printed; nothing for one that broke off. With a rule, a statement that raises a difference with this text, or compares
with it, does nothing. A manipulation that only this check finds is then missed, which proves that the test of the
manipulation can fail.
"""

import ast
import contextlib
import importlib
import importlib.abc
import importlib.machinery
import io
import json
import sys
from typing import Any, List, Optional

_KIT = "rialto_audit"


class _Without(ast.NodeTransformer):
    def __init__(self, rule: str) -> None:
        self._rule = rule
        self.removed = 0

    def visit_Raise(self, node: ast.Raise) -> ast.stmt:
        return self._without(node)

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        # A call that compares two values and raises.
        return self._without(node) if isinstance(node.value, ast.Call) else node

    def _without(self, node: ast.stmt) -> ast.stmt:
        if self._rule not in ast.unparse(node):
            return node
        self.removed += 1
        return ast.copy_location(ast.Pass(), node)


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads a module of the kit without the check."""

    def __init__(self, name: str, path: str, without: _Without) -> None:
        super().__init__(name, path)
        self._without = without

    def get_code(self, fullname: str) -> Any:
        path = self.get_filename(fullname)
        tree = self._without.visit(ast.parse(self.get_data(path)))
        return compile(ast.fix_missing_locations(tree), path, "exec")


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of the kit that have the check; all others are loaded as usual."""

    def __init__(self, rule: str) -> None:
        self._rule = rule
        self.without = _Without(rule)

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if not name.startswith(f"{_KIT}.") or spec is None or spec.origin is None:
            return None
        with open(spec.origin, encoding="utf-8") as file:
            if self._rule not in file.read():
                return None
        loader = _Loader(name, spec.origin, self.without)
        changed = importlib.machinery.ModuleSpec(name, loader, origin=spec.origin)
        changed.has_location = True
        return changed


def _forget_kit() -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == _KIT]:
        del sys.modules[name]


def _printed(arguments: List[str]) -> str:
    printed = io.StringIO()
    sys.argv = [_KIT, *arguments]
    with contextlib.redirect_stdout(printed), contextlib.suppress(Exception):
        importlib.import_module(f"{_KIT}.__main__").main()
    return printed.getvalue()


def _audit(arguments: List[str], rule: Optional[str]) -> str:
    if rule is None:
        return _printed(arguments)
    finder = _Finder(rule)
    sys.meta_path.insert(0, finder)
    _forget_kit()
    try:
        printed = _printed(arguments)
    finally:
        sys.meta_path.remove(finder)
        _forget_kit()
    if finder.without.removed == 0:
        raise ValueError(f"no check has the rule {rule!r}")
    return printed


def main() -> None:
    wanted = json.load(sys.stdin)
    # Audits by the whole kit come first, so that its modules are loaded once.
    order = sorted(range(len(wanted)), key=lambda index: wanted[index]["rule"] is not None)
    printed = {index: _audit(**wanted[index]) for index in order}
    json.dump([printed[index] for index in range(len(wanted))], sys.stdout)


main()
