"""What a browser made of the drawings of a page: their size, their marks, and where text went."""

import re

from discreet import font

_DRAWINGS = """async (selector) => (await document.fonts.ready) && [...document.querySelectorAll(selector)].map(svg => {
    const room = svg.getBoundingClientRect(), box = svg.getBBox();
    const out = [...svg.querySelectorAll('text')].filter(t => {
        const r = t.getBoundingClientRect();
        return r.left < room.left - 2 || r.right > room.right + 2
            || r.top < room.top - 2 || r.bottom > room.bottom + 2;
    });
    return [box.width, box.height, svg.querySelectorAll('path,rect,circle').length,
            out.map(t => t.textContent)];
})"""
_TEXTS = """async () => {
    await document.fonts.ready;
    return [...document.querySelectorAll('svg text')].filter(t => t.textContent.trim()).map(t => {
        const style = getComputedStyle(t);
        return [t.textContent.trim(), t.getComputedTextLength(), parseFloat(style.fontSize),
                Number(style.fontWeight) >= 600];
    });
}"""
_OWN = re.compile(
    "[" + "".join(f"{chr(a)}-{chr(b)}" for r in font.SCRIPTS.values() for a, b in r) + "]*"
)


def drawings(page, selector="svg"):
    """Per drawing: its width and height, the number of marks, and the texts that are cut off."""
    return page.evaluate(_DRAWINGS, selector)


def cut_off(page, selector="svg"):
    return [text for *_, texts in drawings(page, selector) for text in texts]


def foreign(page):
    """Texts in letters that the font has not."""
    return [text for text, *_ in page.evaluate(_TEXTS) if not _OWN.fullmatch(text)]


def wider_than_measured(page):
    """Texts whose width in the browser is not the one that charts are laid out with.

    Text in other scripts comes in the fonts of the machine: it may be narrower.
    """
    found = page.evaluate(_TEXTS)
    assert found
    return [
        (text, shown, measured)
        for text, shown, size, bold in found
        for measured in [font.width(re.sub(r"\s+", " ", text), size, bold=bold)]
        if shown > measured + 0.6 or (_OWN.fullmatch(text) and shown < measured - 0.6)
    ]
