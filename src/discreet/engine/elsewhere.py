"""Any other Ibis backend as the home of a table: through Ibis alone, and nothing is kept there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from discreet.engine.embedded import embedded, readable, same
from discreet.engine.embedded import uploaded as registered
from discreet.engine.embedded import write as write_embedded

if TYPE_CHECKING:
    import ibis.expr.types as ir

    from discreet.engine.turns import Watch

__all__ = ["collected", "kept", "readable", "reader", "same", "uploaded", "watch", "write"]

_BATCH = 1 << 18


def kept(table: ir.Table) -> ir.Table:
    """The step as it is: it is carried out again whenever its outcome is asked for."""
    return table


def uploaded(backend: Any, table: pa.Table) -> ir.Table:  # noqa: ARG001
    """An Arrow table, handed to the engine by Ibis in whatever way it has for this backend."""
    import ibis

    return ibis.memtable(table)


def watch(table: ir.Table) -> Watch | None:  # noqa: ARG001
    """Ibis has no way to watch or stop what any backend does: it is waited for."""
    return None


def collected(expression: ir.Table) -> pa.Table:
    """The outcome of an expression."""
    return expression.to_pyarrow()


def reader(expression: ir.Table) -> Iterator[pa.RecordBatch]:
    """The outcome of an expression in pieces."""
    return expression.to_pyarrow_batches(chunk_size=_BATCH)


def write(chosen: ir.Table, path: Path, like: Path | None) -> None:
    """One file, written by the embedded engine from the stream of records."""
    stream = pa.RecordBatchReader.from_batches(chosen.schema().to_pyarrow(), reader(chosen))
    write_embedded(registered(embedded(), stream), path, like)
