"""A paper as a chapter: its reference, and the parts that are rebuilt one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from papers.figures import Figure, Part
from papers.material import Material


@dataclass(frozen=True)
class Step:
    """How to rebuild a part. A quick one needs no reference data and hardly any time."""

    rebuild: Callable[[Material], Part]
    quick: bool = False


@dataclass(frozen=True)
class Chapter:
    """A paper: number, title, full reference, what it gave to discreet, and its parts."""

    number: str
    title: str
    reference: str
    text: str
    steps: tuple[Step, ...]

    def rebuilt(self, material: Material, *, quick_only: bool = False) -> Iterator[Part]:
        """Its parts, in order."""
        for step in self.steps:
            if step.quick or not quick_only:
                yield step.rebuild(material)


@dataclass(frozen=True)
class Rebuilt:
    """A chapter with its parts computed."""

    chapter: Chapter
    parts: tuple[Part, ...]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All figures of all parts."""
        return tuple(figure for part in self.parts for figure in part.figures)


def quick(rebuild: Callable[[], Part]) -> Step:
    """A step that needs nothing."""
    return Step(lambda material: rebuild(), quick=True)  # noqa: ARG005
