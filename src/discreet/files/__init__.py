"""Output files: written beside their place and renamed, so that they appear whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import Problem, argument, fail, raise_all, unreadable_name
from discreet.words import either

if TYPE_CHECKING:
    import pyarrow as pa


def existing(path: object, remedy: str) -> Path:
    """The path of a file that is there; ``remedy`` says what to give in place of what is none."""
    if not isinstance(path, str | os.PathLike):
        fail("S01", "what was given is not a path.", remedy)
    file = Path(path)
    if not file.is_file():
        fail("S01", f"{file.name or file} does not exist or is not a file.", "Check the path.")
    return file


def need_free(
    target: Path, *, overwrite: bool, suffixes: tuple[str, ...], inputs: Iterable[Path] = ()
) -> None:
    """Refuse a place that cannot be written to, with all that is in the way."""
    raise_all(place_problems(target, overwrite=overwrite, suffixes=suffixes, inputs=inputs))


def place_problems(
    target: Path, *, overwrite: bool, suffixes: tuple[str, ...], inputs: Iterable[Path] = ()
) -> list[Problem]:
    """All that is in the way of writing to a place; ask before the work, not after it.

    ``inputs`` are the files that what is written was made from: they are never overwritten.
    """
    if unreadable := encoding_problems(target.absolute()):
        return unreadable
    problems, name = [], target.name or str(target)
    if is_among(target, inputs):
        what = f"{name} is an input, which is never changed."
        return [Problem("O03", what, "Choose another name.")]
    if target.suffix not in suffixes:
        what = f"{name} does not end in {either(suffixes)}."
        problems.append(Problem("O01", what, "Change the ending."))
    if not target.parent.is_dir():
        what = f"{target.parent.name!r}, the folder of {name}, does not exist."
        problems.append(Problem("O02", what, "Create it first."))
    elif target.is_dir() or (os.path.lexists(target) and not overwrite):
        problems.append(taken(target))
    return problems


def taken(target: Path) -> Problem:
    """The problem of a file in the place of an output."""
    remedy = f"Choose another name, or overwrite it ({argument('overwrite', True)})."
    return Problem("O03", f"{target.name or target} exists.", remedy)


def encoding_problems(path: Path) -> list[Problem]:
    """What is wrong with a path that Python and the engine, to which every path is UTF-8, would
    take for two: that of a system with another encoding, or of bytes that are no text.
    """
    try:
        if os.fsencode(path) == str(path).encode():
            return []
    except UnicodeEncodeError:
        pass
    return [unreadable_name()]


def is_among(target: Path, files: Iterable[Path]) -> bool:
    """Whether a place is one of the files, or lies in one that is a folder; a link of either
    kind and another spelling of a name lead to the same file.
    """
    places = (target, *target.absolute().parents)
    return any(
        _is_same(place, file)
        for file in files
        for place in (places if file.is_dir() else places[:1])
    )


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:  # one of them is not there
        return False


@contextmanager
def beside(target: Path, like: Path | None = None) -> Iterator[Path]:
    """A name for a new file next to the target that takes its place when all went well.

    It is made in a folder that nobody else may enter, and gets the permissions of a new file,
    but never wider ones than the file ``like`` has.
    """
    from discreet.files.rooms import room

    with room(target) as folder, _enough_disk(target):
        place = folder / target.name
        yield place
        no_wider(place, like)
        settle(place)
        place.replace(target)


@contextmanager
def _enough_disk(target: Path) -> Iterator[None]:
    """Say in words that the disk is full; the system's message names a path of the machine."""
    try:
        yield
        return
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
            raise
    fail(
        "O08",
        f"the disk is full: {target.name} was not written.",
        "Free some space, and write it again.",
    )


def no_wider(place: Path, like: Path | None) -> None:
    """Give a file, or the files of a folder, the permissions of a new file, within those of
    the file ``like``.
    """
    allowed = stat.S_IMODE(like.stat().st_mode) if like is not None and like.exists() else 0o777
    for file in [place] if place.is_file() else [f for f in place.rglob("*") if f.is_file()]:
        file.chmod(_new_mode(file) & allowed)


def _new_mode(file: Path) -> int:
    """The permissions that the system gives to a new file; asked for by making one."""
    probe = file.with_name(f".{secrets.token_hex(4)}")
    os.close(os.open(probe, os.O_CREAT | os.O_EXCL, 0o666))
    mode = stat.S_IMODE(probe.stat().st_mode)
    probe.unlink()
    return mode


def settle(file: Path) -> None:
    """Have a file, or the files of a folder, on disk before it takes the place of another, in
    case the machine stops.
    """
    for part in [file] if file.is_file() else [f for f in file.rglob("*") if f.is_file()]:
        with part.open("rb") as opened:
            os.fsync(opened.fileno())


def take_place(place: Path, target: Path) -> None:
    """Put a file, or a folder that an engine wrote, where it belongs."""
    if place.is_dir() and target.is_file():
        target.unlink()  # a folder does not replace a file by itself
    place.replace(target)


@contextmanager
def folder_beside(target: Path) -> Iterator[Path]:
    """A name for a new folder next to the target that takes its place when all went well."""
    place = target.absolute().parent / f".{target.name}.{secrets.token_hex(4)}"
    try:
        yield place
        target.unlink(missing_ok=True)  # a file that may be overwritten; a folder never is
        place.rename(target)
    finally:
        shutil.rmtree(place, ignore_errors=True)


_BOMB_RATIO, _BOMB_SIZE = 150, 1 << 26  # texts pack to a tenth; a bomb to a thousandth


def most_unpacked(path: Path) -> int:
    """How many bytes may come out of a packed file."""
    return max(_BOMB_SIZE, _BOMB_RATIO * path.stat().st_size)


def bomb(path: Path) -> Problem:
    """The problem of a packed file that grows beyond measure."""
    what = f"{path.name} grows to more than {_BOMB_RATIO} times its size when it is unpacked."
    return Problem("S18", what, "If you trust it, unpack it and read the file that comes out.")


def unpacked_parts(archive: Path) -> Iterator[tuple[str, bytes]]:
    """The parts of an archive, such as a spreadsheet, block by block: name and bytes. Refused once
    they grow beyond measure, whatever the archive says of its sizes.
    """
    most, seen = most_unpacked(archive), 0
    try:
        with zipfile.ZipFile(archive) as opened:
            for part in opened.infolist():
                part.file_size = most + 1  # read on to the end of the part, wherever that is
                with opened.open(part) as stream:
                    while block := stream.read(1 << 20):
                        seen += len(block)
                        raise_all([bomb(archive)] if seen > most else [])
                        yield part.filename, block
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError, EOFError):
        return  # whoever reads it says what is wrong with it


def pack(target: Path, files: Iterable[Path]) -> None:
    """Write files into one archive, whole or not at all; the same files give the same bytes."""
    with beside(target) as place, zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            part = zipfile.ZipInfo(file.name)  # of 1980, for everyone the same
            part.compress_type, part.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
            with file.open("rb") as given, archive.open(part, "w", force_zip64=True) as written:
                shutil.copyfileobj(given, written, 1 << 20)


def write_arrow(target: Path, table: pa.Table) -> None:
    """Write a table as CSV or Parquet, by the ending of the name."""
    import pyarrow.csv
    import pyarrow.parquet

    with beside(target) as place:
        if target.suffix == ".parquet":
            pyarrow.parquet.write_table(table, place)
        else:
            pyarrow.csv.write_csv(table, place)


def write_text(target: Path, text: str, *, overwrite: bool, inputs: Iterable[Path] = ()) -> None:
    """Write a text file that is none of the inputs."""
    need_free(target, overwrite=overwrite, suffixes=(target.suffix,), inputs=inputs)
    with beside(target) as place:
        place.write_text(text, encoding="utf-8")


def write_new(place: Path, text: str) -> None:
    """Write a text file under a name that is free: one that is taken, by a link too, stays."""
    with place.open("x", encoding="utf-8", newline="\n") as opened:
        opened.write(text)


def copy_new(file: Path, place: Path) -> None:
    """Copy what is in a file to a name that is free."""
    with file.open("rb") as given, place.open("xb") as opened:
        shutil.copyfileobj(given, opened, 1 << 20)
