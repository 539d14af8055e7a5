"""Runs the auditor's kit with one check switched off: `without_rule.py RULE ARGUMENTS`.

A statement that raises a difference with RULE in its text does nothing. A manipulation that only this check finds is
then missed, which proves that the test of the manipulation can fail.
"""

import ast
import importlib.abc
import importlib.machinery
import runpy
import sys


class _Without(ast.NodeTransformer):
    def __init__(self, rule: str) -> None:
        self._rule = rule
        self.removed = 0

    def visit_Raise(self, node: ast.Raise) -> ast.stmt:
        if self._rule not in ast.unparse(node):
            return node
        self.removed += 1
        return ast.copy_location(ast.Pass(), node)


class _Loader(importlib.machinery.SourceFileLoader):
    rule = ""
    removed = 0

    def source_to_code(self, data, path, *, _optimize=-1):  # type: ignore[no-untyped-def]
        without = _Without(self.rule)
        tree = ast.fix_missing_locations(without.visit(ast.parse(data)))
        _Loader.removed += without.removed
        return compile(tree, path, "exec", optimize=_optimize)

    def get_code(self, fullname):  # type: ignore[no-untyped-def]
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):  # type: ignore[no-untyped-def]
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if name.startswith("rialto_audit") and spec is not None and spec.origin is not None:
            is_package = spec.submodule_search_locations
            loader = _Loader(name, spec.origin)
            spec = importlib.machinery.ModuleSpec(
                name, loader, origin=spec.origin, is_package=is_package is not None
            )
            spec.has_location = True
            if is_package is not None:
                spec.submodule_search_locations = is_package
        return spec


_Loader.rule = sys.argv.pop(1)
sys.meta_path.insert(0, _Finder())
import rialto_audit.audit  # noqa: E402, F401

if _Loader.removed == 0:
    sys.exit(f"no check has the rule {_Loader.rule!r}")
runpy.run_module("rialto_audit", run_name="__main__", alter_sys=True)
