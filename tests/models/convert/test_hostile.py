"""Hostile pickles: nothing in them is run, and each ends in one line and little memory."""

from __future__ import annotations

import io
import json
import os
import pickle
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from priscian.errors import PriscianError
from priscian.models.convert import inert
from priscian.models.convert.folder import read_pickled_words
from priscian.models.convert.inert import Global, InertError, Made, read_pickle
from priscian.models.convert.torch_file import MAGIC, read_torch_file

ROOT = Path(__file__).resolve().parents[3]
MEGABYTES = 500


class Evil:
    """Calls a function when it is unpickled."""

    def __init__(self, function: object, *args: object) -> None:
        self.call = (function, args)

    def __reduce__(self) -> object:
        return self.call


def short(text: str) -> bytes:
    return b"\x8c" + bytes([len(text)]) + text.encode()


def hostile(canary: str) -> dict[str, bytes]:
    """Pickles that would write a file, never end, or fill the memory."""
    touch = f"touch {canary}"
    opened = f"open({canary!r}, 'w').close()"
    call = b"cos\nsystem\n(" + short(touch) + b"tR"
    return {
        "os.system": pickle.dumps(Evil(os.system, touch)),
        "eval": pickle.dumps(Evil(eval, opened)),
        "exec": pickle.dumps(Evil(exec, opened)),
        "by name on the stack": b"\x80\x04" + short("os") + short("system") + b"\x93"
        + short(touch) + b"\x85R.",
        "as an instance": b"(S'" + touch.encode() + b"'\nios\nsystem\n.",
        "as an object": b"(cos\nsystem\n" + short(touch) + b"o.",
        "a new object": b"\x80\x04cos\nsystem\n(" + short(touch) + b"t\x81.",
        "a new object with names": b"\x80\x04cos\nsystem\n(" + short(touch) + b"t}\x92.",
        "nested calls": b"cbuiltins\ngetattr\n(" + call + short("x") + b"tR(" + call + b"tR.",
        "a call in a state": b"cos\nsystem\n)R" + call + b"b.",
        "a call as a key": b"}" + call + b"Ns.",
        "a call as a reference": call + b"Q.",
        "extension code 1": b"\x82\x01.",
        "extension code 2": b"\x83\x01\x02.",
        "extension code 4": b"\x84\x01\x02\x03\x04.",
        "a module's attribute": b"cos\n__dict__\n(" + short("system") + b"tR.",
        "a reference by name": b"Pos.system\n.",
        "a string of absurd size": b"X" + struct.pack("<I", 0xFFFFFFF0) + b"abc.",
        "bytes of absurd size": b"\x8e" + struct.pack("<Q", 1 << 62) + b"abc.",
        "a byte array of absurd size": b"\x96" + struct.pack("<Q", 1 << 33) + b"abc.",
        "a frame of absurd size": b"\x80\x04\x95" + struct.pack("<Q", 1 << 63) + b"N",
        "a number of absurd size": b"\x8b" + struct.pack("<I", 0x7FFFFFFF) + b"\1.",
        "a number of many digits": b"I" + b"9" * 100_000 + b"\n.",
        "a memo place of absurd size": b"Nr" + struct.pack("<I", 0xFFFFFFFF) + b"0N.",
        "a memo place beyond all": b"Np" + b"9" * 40 + b"\n0N.",
        "a memo place that is empty": b"g7\n.",
        "a list in itself": b"]q\0h\0a.",
        "a dictionary in itself": b"}q\0X\1\0\0\0ah\0s.",
        "an object in itself": b"cos\nsystem\n)Rq\0h\0b.",
        "lists nested deeply": b"]" * 40_000 + b"a" * 39_999 + b".",
        "tuples nested deeply": b")" + b"\x85" * 100_000 + b".",
        "a key nested deeply": b"}" + b")" + b"\x85" * 100_000 + b"Ns.",
        "states nested deeply": b"cos\nsystem\n)R" * 30_000 + b"b" * 29_999 + b".",
        "keys of one hash": b"}(" + b"".join(
            b"\x8a\x0a" + (n * ((1 << 61) - 1)).to_bytes(10, "little", signed=True) + b"N"
            for n in range(1, 10_000)
        ) + b"u.",
        "many copies": b"]q\0(" + b"h\0" * 50_000 + b"e.",
        "many dictionaries": b"(" + b"}" * 120_000 + b"l.",
        "endless instructions": b"N0" * 60_000 + b"N.",
        "doubled again and again": b"]" + b"(22e" * 10_000 + b".",
        "marks without end": b"(" * 50_000 + b".",
        "nothing on the stack": b".",
        "no end": b"N",
        "nothing": b"",
        "text": b"hello\n",
        "an unknown instruction": b"\xff.",
        "a wrong mark": b"t.",
        "pops too many": b"N00N.",
        "a buffer": b"\x97.",
        "appends to a number": b"K\1Na.",
        "fills a list": b"]NNs.",
        "an odd number of items": b"}(NNNu.",
        "a state for a number": b"K\1Nb.",
        "a key that is a list": b"}]Ns.",
    }  # fmt: skip


def legacy(body: bytes, keys: bytes = b"].") -> bytes:
    """A file in torch's older format around an object."""
    facts = {"little_endian": True, "protocol_version": 1001}
    head = [pickle.dumps(part, 2) for part in (MAGIC, 1001, facts)]
    return b"".join(head) + body + keys


def zipped(body: bytes) -> bytes:
    """A file in torch's newer format around an object."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("archive/data.pkl", body)
    return made.getvalue()


CHILD = """
import builtins, json, os, sys
from pathlib import Path
from tests.peak_memory import peak_megabytes

ran = []
def record(name):
    return lambda *args, **named: ran.append(name)
os.system = record("system")
os.popen = record("popen")
real_eval, real_exec = builtins.eval, builtins.exec

from priscian.errors import PriscianError
from priscian.models.convert.torch_file import read_torch_file
from priscian.models.convert import inert
from priscian.models.convert.inert import InertError
inert.MOST_STEPS = int(sys.argv[2])
import encodings.cp437, encodings.raw_unicode_escape, encodings.ascii, encodings.latin_1
import pickletools, numpy, zipfile, mmap

builtins.eval = record("eval")
builtins.exec = record("exec")
before = set(sys.modules)
said = {}
for path in sorted(Path(sys.argv[1]).iterdir()):
    try:
        read_torch_file(path).arrays()
        said[path.name] = "read"
    except (PriscianError, InertError) as error:
        said[path.name] = str(error)
peak = peak_megabytes()
print(json.dumps({"ran": ran, "said": said, "new": sorted(set(sys.modules) - before),
                  "peak": peak}))
"""


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """All of them read in one process in which calls would be recorded."""
    folder = tmp_path_factory.mktemp("hostile")
    canary = tmp_path_factory.mktemp("canary") / "ran"
    for number, (name, data) in enumerate(hostile(str(canary)).items()):
        label = f"{number:02} {name}"
        (folder / f"{label} in the old format").write_bytes(legacy(data))
        if len(data) < 10_000:
            (folder / f"{label} as its magic number").write_bytes(data)
            (folder / f"{label} as its keys").write_bytes(legacy(b"}.", data))
            (folder / f"{label} in a zip").write_bytes(zipped(data))
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(folder), "110000"],
        capture_output=True, text=True, check=False, cwd=ROOT, env=os.environ, timeout=500,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert not canary.exists()
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("step", [b"}", b")", b"(", b"]", b"cx\ny\n)R"])
def test_as_many_steps_as_are_allowed_take_bounded_memory(step: bytes, tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(legacy(step * 5_000_000))
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(tmp_path), str(inert.MOST_STEPS)],
        capture_output=True, text=True, check=True, cwd=ROOT, env=os.environ, timeout=500,
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert "instructions" in found["said"]["m"]
    assert found["peak"] < 2 * MEGABYTES


def test_nothing_is_run_and_nothing_is_imported(outcome: dict[str, object]) -> None:
    assert outcome["ran"] == []
    assert outcome["new"] == []


def test_each_ends_in_one_line(outcome: dict[str, object]) -> None:
    said = outcome["said"]
    assert isinstance(said, dict)
    assert len(said) > 3 * len(hostile("x"))
    for name, line in said.items():
        assert line != "read", name
        assert "\n" not in line
        assert len(line) < 600


def test_the_memory_is_bounded(outcome: dict[str, object]) -> None:
    assert isinstance(outcome["peak"], float)
    assert outcome["peak"] < MEGABYTES


def test_a_name_stays_a_name() -> None:
    found = read_pickle(pickle.dumps(Evil(os.system, "x")))
    assert isinstance(found, Made)
    assert found.function == Global("posix", "system")
    assert found.args == ("x",)


STORAGE = b"(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0aX\3\0\0\0cpu%bNtQ"
TENSOR = b"}X\1\0\0\0wctorch._utils\n_rebuild_tensor_v2\n(" + STORAGE + b"%b%b%b\x89NtRs."


def tensor(count: int, first: int, sizes: tuple[int, ...], strides: tuple[int, ...]) -> bytes:
    """A dictionary with one tensor that is described so."""
    plain = [pickle.dumps(part, 2)[2:-1] for part in (count, first, sizes, strides)]
    return legacy(TENSOR % tuple(plain), pickle.dumps(["a"], 2))


@pytest.mark.parametrize(
    ("count", "first", "sizes", "strides"),
    [
        (1 << 40, 0, (2,), (1,)), (4, 0, (1 << 40,), (0,)), (4, 0, (5,), (1,)), (4, 3, (2,), (1,)),
        (4, -1, (2,), (1,)), (4, 0, (2, 2), (1,)), (4, 0, (2,), (-1,)), (-4, 0, (2,), (1,)),
        (4, 0, (2,) * 40, (0,) * 40), (4, 0, (0, 1 << 47, 1 << 47), (1, 1, 1)),
        (4, 1 << 62, (1,), (1,)),        (3, 0, (2,), (1,)), (4, 0, (3, 3), (0, 0)),
    ],
)  # fmt: skip
def test_tensors_of_absurd_sizes_are_one_line(
    count: int, first: int, sizes: tuple[int, ...], strides: tuple[int, ...], tmp_path: Path
) -> None:
    path = tmp_path / "m.pt"
    path.write_bytes(tensor(count, first, sizes, strides) + struct.pack("<q4f", 4, 1, 2, 3, 4))
    with pytest.raises((PriscianError, InertError)):
        read_torch_file(path).arrays()


def test_the_same_tensor_of_a_sound_size_is_read(tmp_path: Path) -> None:
    path = tmp_path / "m.pt"
    path.write_bytes(tensor(4, 1, (3,), (1,)) + struct.pack("<q4f", 4, 1, 2, 3, 4))
    assert read_torch_file(path).arrays()["w"].tolist() == [2, 3, 4]


def module(inner: bytes) -> bytes:
    """An object whose state has this as its modules."""
    return b"cx\nM\n)R}X\x08\0\0\0_modules" + inner + b"sb"


def test_a_module_in_itself_and_modules_without_end_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "m.pt"
    own = b"cx\nM\n)Rq\1}X\x08\0\0\0_modules}X\1\0\0\0mh\1ssb."
    wide = module(b"}") + b"q\0"
    for number in range(1, 35):  # 2 ** 34 paths through 35 modules
        before = b"h" + bytes([number - 1])
        pair = b"}X\1\0\0\0a" + before + b"sX\1\0\0\0b" + before + b"s"
        wide += module(pair) + b"q" + bytes([number])
    deep = module(b"}")
    for _ in range(200):
        deep = module(b"}X\1\0\0\0m" + deep + b"s")
    for body in (own, deep + b".", wide + b"."):
        path.write_bytes(legacy(body))
        with pytest.raises(InertError, match="contains itself"):
            read_torch_file(path).arrays()


@pytest.mark.parametrize("new", [False, True], ids=["old format", "zip"])
def test_a_file_cut_short_at_every_37th_byte_is_one_line(new: bool, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from tests.models.convert.stand_ins import save_module

    path = tmp_path / "m.pt"
    save_module(path, "LSTM", 10, 3, 4, 1, new=new)
    whole = path.read_bytes()
    for end in range(0, len(whole), 37):
        path.write_bytes(whole[:end])
        with pytest.raises((PriscianError, InertError)) as caught:
            read_torch_file(path).arrays()
        assert "\n" not in str(caught.value)


def test_compressed_and_overlapping_archives_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.pt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", b"N0" * 10_000_000 + b".")
    with pytest.raises(PriscianError, match="compressed"):
        read_torch_file(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("other", b"x")
    with pytest.raises(PriscianError, match=r"without data\.pkl"):
        read_torch_file(path)


def test_files_that_are_not_there_or_not_ours(tmp_path: Path) -> None:
    with pytest.raises(PriscianError, match="No such file"):
        read_torch_file(tmp_path / "nowhere.pt")
    for data in (b"", b"PK\3\4", b"version https://git-lfs.github.com/spec/v1\n", b"\0" * 100):
        (tmp_path / "m.pt").write_bytes(data)
        with pytest.raises(PriscianError, match=r"m\.pt cannot be read"):
            read_torch_file(tmp_path / "m.pt")


def test_a_plain_pickle_is_read_as_inertly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`vocab.pkl` has no frame of torch around it; the reader and its bounds are the same."""
    monkeypatch.setattr(inert, "MOST_STEPS", 20_000)
    canary, path = tmp_path / "ran", tmp_path / "vocab.pkl"
    for body in hostile(str(canary)).values():
        path.write_bytes(body)
        with pytest.raises(PriscianError, match=r"vocab\.pkl") as found:
            read_pickled_words(path)
        assert "\n" not in str(found.value)
    assert not canary.exists()
