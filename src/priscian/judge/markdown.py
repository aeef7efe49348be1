"""A small Markdown for pages of a study: paragraphs, headings, lists, emphasis, links. No HTML."""

from __future__ import annotations

import re
from html import escape

_HTML = re.compile(r"<[A-Za-z/!?]")
_LINK = re.compile(r"\[([^\]]+)\]\((https?://[^\s)]+|mailto:[^\s)]+)\)")
_STRONG = re.compile(r"\*\*(.+?)\*\*")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?!\s)(.+?)(?<!\s)\*(?![\w*])")
_CODE = re.compile(r"`([^`]+)`")


def has_html(text: str) -> bool:
    """Whether a text has something that looks like a tag."""
    return bool(_HTML.search(text))


def render(text: str) -> str:
    """HTML of a text in Markdown; every character that HTML could read as its own is escaped.

    >>> render("**Two** sentences < one.")
    '<p><strong>Two</strong> sentences &lt; one.</p>'
    >>> render("- a\\n- b")
    '<ul><li>a</li><li>b</li></ul>'
    """
    blocks = re.split(r"\n\s*\n", text.strip())
    return "\n".join(_block(b) for b in blocks if b.strip())


def _block(block: str) -> str:
    lines = [line.strip() for line in block.splitlines()]
    heading = re.match(r"(#{1,3}) +(.+)", lines[0])
    if heading:
        level = len(heading[1]) + 1  # the page's own title is the only h1
        rest = "\n".join(lines[1:])
        after = "\n" + _block(rest) if rest.strip() else ""
        return f"<h{level}>{_inline(heading[2])}</h{level}>{after}"
    for mark, tag in ((r"[-*] +", "ul"), (r"\d+[.)] +", "ol")):
        if all(re.match(mark, line) for line in lines):
            items = "".join(f"<li>{_inline(re.sub(mark, '', x, count=1))}</li>" for x in lines)
            return f"<{tag}>{items}</{tag}>"
    return f"<p>{_inline(' '.join(lines))}</p>"


def _inline(text: str) -> str:
    made = escape(text, quote=True)
    made = _CODE.sub(r"<code>\1</code>", made)
    made = _LINK.sub(r'<a href="\2" rel="noreferrer noopener">\1</a>', made)
    made = _STRONG.sub(r"<strong>\1</strong>", made)
    return _EMPHASIS.sub(r"<em>\1</em>", made)
