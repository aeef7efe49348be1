"""File names from other names: safe on any system, and different for different names.

Texts are also freed of the places of files here: what is published should not tell whose disk it
was on.

Names on disk may be any bytes. Those that are not UTF-8 reach Python with surrogates in them, which
no file of ours can hold and no terminal shows.
"""

from __future__ import annotations

import fnmatch
import hashlib
import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from priscian.errors import DataWarning, OutputError

K = TypeVar("K", bound=str | tuple[str, str])
LONGEST = 120
_HEAD = r"(?:file://(?=/)|(?<![^\s'\"=:(,]))"
_PLACE = r"(?:/(?!/)|~\w*/|[A-Za-z]:[\\/])"
_QUOTED = re.compile(rf"(?<=')(?:{_PLACE})[^']*(?=')|(?<=\")(?:{_PLACE})[^\"]*(?=\")")
_BARE = re.compile(rf"{_HEAD}{_PLACE}[^\s'\"?@:;,()]+")
_SPEC = re.compile(rf"(?P<before>(?:[\w-]+:)*?)(?P<path>{_PLACE}[^?@]*)(?P<after>.*)", re.DOTALL)
_ONE_PART = re.compile(r"[^/\\\x00-\x1f]+")
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)}
)


def file_names(names: Iterable[str]) -> dict[str, str]:
    """A file name for each name; different names get different files, all inside the folder.

    A name keeps its letters, digits and `.@=+,_-`; everything else becomes a hyphen. Names that
    would then collide (case is ignored, as on some disks) end in a hash of the whole name.

    >>> file_names(["hf:gpt2", "../x", "a/b", "a b"])
    {'hf:gpt2': 'hf-gpt2', '../x': 'x', 'a/b': 'a-b-c14cddc033', 'a b': 'a-b-c8687a08aa'}
    """
    return name_files({name: name for name in names})


def name_files(wanted: Mapping[K, str], taken: Collection[str] = ()) -> dict[K, str]:
    """A file name for each key, made of the name that it wants; different keys, different files.

    Where two keys would get the same file, or one of `taken`, a hash of the key is added.

    >>> name_files({"one": "a/b", "two": "a b", "three": "run.json"}, taken=["run.json"])
    {'one': 'a-b-7692c3ad35', 'two': 'a-b-3fc4ccfe74', 'three': 'run.json-8b5b9db0c1'}
    """
    plain = {key: _plain(name) for key, name in wanted.items()}
    met = Counter(map(_seen, (*plain.values(), *taken)))
    made = {
        key: f"{short}-{_hash(key)}" if met[_seen(short)] > 1 else short
        for key, short in plain.items()
    }
    if len({_seen(short) for short in (*made.values(), *taken)}) < len(made) + len(taken):
        # a name that looks like another's with its hash: all are hashed then
        made = {key: f"{short}-{_hash(key)}" for key, short in plain.items()}
    return made


def lasting_name(name: str) -> str:
    """The file name of a name whose companions are not known yet: it depends on nothing else.

    >>> lasting_name("checkpoint-500"), lasting_name("step 1")
    ('checkpoint-500', 'step-1-9a2deff46a')
    """
    short = _plain(name)
    return short if short == name else f"{short}-{_hash(name)}"


def is_one_part(name: str) -> bool:
    """Whether a name is one part of a path, which cannot lead out of its folder."""
    return _ONE_PART.fullmatch(name) is not None and name not in {".", ".."}


def inside(folder: Path, *names: str) -> Path:
    """A path below a folder; every name that was made of another one goes through here.

    >>> inside(Path("out"), "my-model", "blimp.csv").as_posix()
    'out/my-model/blimp.csv'
    """
    for name in names:
        if not is_one_part(name):
            raise OutputError(
                f"cannot write {name[:40]!r} below {folder}: it is not the name of a file or "
                "folder; rename the model or the data"
            )
    return folder.joinpath(*names)


def natural_order(name: str) -> list[tuple[int, int, str]]:
    """A key for sorting names by the numbers in them.

    >>> sorted(["step10", "step9", "main"], key=natural_order)
    ['main', 'step9', 'step10']
    """
    # digits in odd places; without leading zeros the longer number is the larger one
    parts = re.split("([0-9]+)", name)
    return [
        (1, len(part.lstrip("0")), part.lstrip("0")) if place % 2 else (0, 0, part)
        for place, part in enumerate(parts)
    ]


def is_unicode(name: str) -> bool:
    """Whether a name is text, not bytes of another encoding."""
    return name.isascii() or not any("\ud800" <= char <= "\udfff" for char in name)


def names_in(folder: Path, pattern: str = "*") -> list[str]:
    """Names of what is in a folder that match a pattern, by the numbers in them.

    One that is not UTF-8 is left out, with a note.
    """
    found = []
    listed = folder.iterdir() if folder.is_dir() else ()
    for name in fnmatch.filter((path.name for path in listed), pattern):
        if is_unicode(name):
            found.append(name)
        else:
            warnings.warn(
                f"{folder}: the name {name!r} is not UTF-8; left out; rename it",
                DataWarning,
                stacklevel=3,
            )
    return sorted(found, key=natural_order)


def _plain(name: str) -> str:
    short = re.sub(r"[^\w.@=+,-]+", "-", name).strip("-.") or "unnamed"
    if len(short.encode()) > LONGEST:
        short = short.encode()[:LONGEST].decode("utf-8", "ignore") + f"-{_hash(name)}"
    return f"{short}-{_hash(name)}" if short.split(".")[0].casefold() in _RESERVED else short


def _seen(name: str) -> str:
    """What a name is on a disk that ignores case and how accents are encoded."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _hash(key: str | tuple[str, str]) -> str:
    name = key if isinstance(key, str) else "\0".join(key)
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:10]


def hide_paths(text: str) -> str:
    """A text in which each absolute path is only the name of its file or folder.

    >>> hide_paths("priscian report /data/jane/runs/first --out '/tmp/a b.html'")
    "priscian report first --out 'a b.html'"
    """
    return _BARE.sub(_last_part, _QUOTED.sub(_last_part, text))


def hide_place(spec: str) -> str:
    """The string of a model or data set without the folders before its file.

    >>> hide_place("sg:/data/jane doe/suites"), hide_place("hf:EleutherAI/pythia-70m@step1000")
    ('sg:suites', 'hf:EleutherAI/pythia-70m@step1000')
    """
    found = _SPEC.fullmatch(spec)
    return f"{found['before']}{_last_of(found['path'])}{found['after']}" if found else spec


def _last_part(found: re.Match[str]) -> str:
    return _last_of(found[0])


def _last_of(path: str) -> str:
    parts = [part for part in re.split(r"[\\/]", path) if part]
    return parts[-1] if parts else ""
