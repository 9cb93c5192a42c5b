"""The mutants of a source file: one operator, constant, bound or statement changed in each.

Left alone are texts, annotations, decorators, docstrings, ``strict=`` of zip and what only
shows a result, since no figure depends on them.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
COMPUTED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.LShift: ast.RShift,
    ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitAnd,
}  # fmt: skip
RENAMED = {
    "min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum",
    "maximum": "minimum", "floor": "ceil", "ceil": "floor", "argmin": "argmax",
    "argmax": "argmin",
}  # fmt: skip
SHOWN = {"__repr__", "_repr_html_", "_repr_svg_", "explain", "describe", "chart", "svg"}
TINY = 1e-3  # a tolerance; made 0, where any other number is raised by one


@dataclass(frozen=True)
class Mutant:
    """A change of one place.

    Attributes
    ----------
    path : Path
        The file, relative to the root of the project.
    line : int
    function : int
        First line of the function that holds it; 0 at the level of the module.
    name : str
        That function's qualified name.
    start, end : int
        The bytes that are replaced.
    before, after : str
    """

    path: Path
    line: int
    function: int
    name: str
    start: int
    end: int
    before: str
    after: str

    @property
    def key(self) -> str:
        """A name that stays when other lines move."""
        return f"{self.path} {self.name}: {self.before} → {self.after}"

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.name}: {self.before} → {self.after}"

    def applied(self, source: bytes) -> bytes:
        """The file with the change made."""
        return source[: self.start] + self.after.encode() + source[self.end :]


def mutants_of(root: Path, path: Path) -> list[Mutant]:
    """All mutants of a file, in the order of the source."""
    source = (root / path).read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def at(line: int, column: int) -> int:
        return starts[line - 1] + column

    found = []
    for node, function, name in _places(ast.parse(source)):
        start = at(node.lineno, node.col_offset)
        end = at(node.end_lineno or node.lineno, node.end_col_offset or 0)
        before = " ".join(source[start:end].decode().split())
        for other in _changes(node):
            after = ast.unparse(other)
            if isinstance(node, ast.expr) and not isinstance(node, ast.Constant):
                after = f"({after})"
            found.append(Mutant(path, node.lineno, function, name, start, end, before, after))
    return found


def _places(tree: ast.Module) -> Iterator[tuple[ast.expr | ast.stmt, int, str]]:
    """Every node that may be changed, with the function that holds it."""

    def walk(node: ast.AST, function: int, name: str) -> Iterator[tuple[ast.AST, int, str]]:
        for child in _children(node):
            inner, its_name = function, name
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                if child.name in SHOWN:
                    continue
                its_name = f"{name}.{child.name}" if name else child.name
                if isinstance(child, ast.FunctionDef) and not function:
                    inner = min([child.lineno, *(d.lineno for d in child.decorator_list)])
            if isinstance(child, ast.expr | ast.stmt):
                yield child, inner, its_name
            yield from walk(child, inner, its_name)

    yield from walk(tree, 0, "")  # type: ignore[misc]


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """What stands in a node, without texts, annotations, decorators and flags of types."""
    if isinstance(node, ast.JoinedStr | ast.Raise):
        return
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, ast.Call) and _called(node) in {"fail", "Problem", "warn", "cast"}:
        return
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns", "decorator_list", "bases", "type_params"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.keyword) and child.arg in {"strict", "dtype", "kind", "copy"}:
                continue
            if isinstance(child, ast.AST):
                yield child


def _called(node: ast.Call) -> str:
    called = node.func
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def _changes(node: ast.expr | ast.stmt) -> Iterator[ast.AST]:  # noqa: C901, PLR0912, a table of cases
    other = copy.deepcopy(node)
    match other:
        case ast.Compare():
            for i, op in enumerate(other.ops):
                changed = copy.deepcopy(other)
                changed.ops[i] = COMPARED[type(op)]()
                yield changed
        case ast.BinOp(op=op) if type(op) in COMPUTED and not _of_text(other):
            other.op = COMPUTED[type(op)]()
            yield other
        case ast.AugAssign(op=op) if type(op) in COMPUTED:
            other.op = COMPUTED[type(op)]()
            yield other
        case ast.BoolOp(op=op):
            other.op = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield other
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert(), operand=operand):
            yield operand
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)) | ast.Constant(value=float(value)):
            yield ast.Constant(0.0 if 0 < abs(value) < TINY else value + 1)
        case ast.Call() if _called(other) in RENAMED:
            called = other.func
            if isinstance(called, ast.Attribute):
                called.attr = RENAMED[called.attr]
            elif isinstance(called, ast.Name):
                called.id = RENAMED[called.id]
            yield other
        case ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()


def _of_text(node: ast.BinOp) -> bool:
    """Whether texts, lists or types are joined rather than numbers computed."""
    return any(
        isinstance(side, ast.JoinedStr | ast.List | ast.Tuple)
        or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in (node.left, node.right)
    )
