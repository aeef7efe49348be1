"""Texts without the places of files: what is published should not tell whose disk it was on."""

from __future__ import annotations

import re

_HEAD = r"(?:file://(?=/)|(?<![^\s'\"=:(,]))"
_PLACE = r"(?:/(?!/)|~\w*/|[A-Za-z]:[\\/])"
_QUOTED = re.compile(rf"(?<=')(?:{_PLACE})[^']*(?=')|(?<=\")(?:{_PLACE})[^\"]*(?=\")")
_BARE = re.compile(rf"{_HEAD}{_PLACE}[^\s'\"?@:;,()]+")
_SPEC = re.compile(rf"(?P<before>(?:[\w-]+:)*?)(?P<path>{_PLACE}[^?@]*)(?P<after>.*)", re.DOTALL)


def hide_paths(text: str) -> str:
    """A text in which each absolute path is only the name of its file or folder.

    >>> hide_paths("priscian report /data/jane/runs/first --out '/tmp/a b.html'")
    "priscian report first --out 'a b.html'"
    """
    return _BARE.sub(_last, _QUOTED.sub(_last, text))


def hide_place(spec: str) -> str:
    """The string of a model or data set without the folders before its file.

    >>> hide_place("sg:/data/jane doe/suites"), hide_place("hf:EleutherAI/pythia-70m@step1000")
    ('sg:suites', 'hf:EleutherAI/pythia-70m@step1000')
    """
    found = _SPEC.fullmatch(spec)
    return f"{found['before']}{_name(found['path'])}{found['after']}" if found else spec


def _last(found: re.Match[str]) -> str:
    return _name(found[0])


def _name(path: str) -> str:
    parts = [part for part in re.split(r"[\\/]", path) if part]
    return parts[-1] if parts else ""
