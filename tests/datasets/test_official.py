"""Official data by name: fetched once, checked by hash, used offline; from a server of our own."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from priscian.datasets import official, read_dataset
from priscian.datasets.official import Official, data_folder, fetch_official, officials
from priscian.errors import DataError, UnknownNameError, UsageError

ROW = {"sentence_good": "Owls hoot.", "sentence_bad": "Owls hoots.", "UID": "owls"}
OWLS = (json.dumps(ROW) + "\n").encode()
GERMAN = b"sen\twrong_sen\tlang\tphenomenon\nDie Eule ruft.\tDie Eule rufen.\tdeu\tSV\n"
PUBLIC = "/datasets/jumelet/multiblimp/resolve/de923efa8d2483d6b13364ee68e65308e990a991"


@dataclass
class Server:
    """A web server with some files; `cut` makes it break off, `asked` lists what was requested."""

    files: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    cut: bool = False
    address: str = ""


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.asked.append(self.path)
            body = state.files.get(self.path)
            if body is None:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if state.cut else body)

        def log_message(self, *arguments: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as web:
        state.address = f"http://127.0.0.1:{web.server_port}"
        threading.Thread(target=web.serve_forever, daemon=True).start()
        yield state
        web.shutdown()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PRISCIAN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return tmp_path / "cache"


@pytest.fixture
def offer(server: Server, monkeypatch: pytest.MonkeyPatch):
    """Make the server the home of a data set's files; hashes are pinned if they are given."""

    def make(name: str, files: dict[str, bytes], pins: dict[str, str] | None = None) -> None:
        server.files |= {f"/{file}": body for file, body in files.items()}
        home = Official(home="https://example.org/home", base=f"{server.address}/")
        monkeypatch.setattr(official, "officials", lambda: {name: home})
        known = {file: (pins or {}).get(file, "") for file in files}
        monkeypatch.setattr(official, "_pins", lambda: {name: known})

    return make


def quiet(line: str) -> None:
    return


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_a_name_alone_fetches_once_and_is_then_used_offline(
    server: Server, offer, capsys: pytest.CaptureFixture[str]
) -> None:
    offer("blimp", {"owls.jsonl": OWLS, "more.jsonl": OWLS.replace(b'"owls"', b'"more"')})
    data = read_dataset("blimp")
    assert (data.name, [s.name for s in data.sets]) == ("blimp", ["more", "owls"])
    assert capsys.readouterr().err == (
        "blimp: fetching 2 files from https://example.org/home, once …\n"
    )
    assert len(server.asked) == 2
    server.files.clear()
    assert read_dataset("blimp").sets == data.sets
    assert (len(server.asked), capsys.readouterr().err) == (2, "")


def test_offline_one_line_says_what_to_put_where(offer, server: Server) -> None:
    offer("blimp", {"owls.jsonl": OWLS})
    server.files.clear()
    with pytest.raises(DataError) as caught:
        read_dataset("blimp")
    folder = data_folder() / "blimp" / "all"
    assert str(caught.value) == (
        f"cannot fetch {server.address}/owls.jsonl (404 Not Found); download the files of "
        f"https://example.org/home elsewhere and put them into {folder}, or give the path of your "
        "copy: `on=blimp:PATH`"
    )
    folder.mkdir(parents=True)
    with pytest.raises(DataError, match=r"all has no owls.jsonl; put it there too"):
        read_dataset("blimp")
    (folder / "owls.jsonl").write_bytes(OWLS)
    assert [s.name for s in read_dataset("blimp").sets] == ["owls"]


def test_no_server_at_all_is_said(offer, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Official(home="https://example.org", base="http://127.0.0.1:9/")
    monkeypatch.setattr(official, "officials", lambda: {"blimp": home})
    with pytest.raises(DataError, match=r"cannot fetch http://127.0.0.1:9/.* refused"):
        read_dataset("blimp")


def test_a_cut_download_leaves_nothing_behind(offer, server: Server) -> None:
    offer("blimp", {"owls.jsonl": OWLS})
    server.cut = True
    with pytest.raises(DataError, match=rf"cut off after {len(OWLS) // 2} of {len(OWLS)} bytes"):
        fetch_official("blimp", say=quiet)
    assert [p for p in data_folder().rglob("*") if p.is_file()] == []
    server.cut = False
    assert (fetch_official("blimp", say=quiet) / "owls.jsonl").read_bytes() == OWLS


def test_another_file_than_the_published_one_is_refused(offer, server: Server) -> None:
    offer("blimp", {"owls.jsonl": OWLS}, {"owls.jsonl": "0" * 64})
    with pytest.raises(DataError, match=r"is not the published file: its SHA-256 is .* not 0{64}"):
        fetch_official("blimp", say=quiet)
    assert not (data_folder() / "blimp" / "all").exists()
    by_hand = data_folder() / "blimp" / "all"
    by_hand.mkdir(parents=True)
    (by_hand / "owls.jsonl").write_bytes(OWLS)
    with pytest.raises(DataError, match=r"is not the published file.*replace it"):
        fetch_official("blimp", say=quiet)


def test_a_file_that_changed_upstream_is_refused_until_its_record_is_deleted(
    offer, server: Server
) -> None:
    offer("blimp", {"owls.jsonl": OWLS})
    folder = fetch_official("blimp", say=quiet)
    changed = OWLS.replace(b"Owls hoots.", b"Owl hoot.")
    server.files["/owls.jsonl"] = changed
    (folder / "owls.jsonl").unlink()
    folder.rmdir()
    with pytest.raises(DataError) as caught:
        fetch_official("blimp", say=quiet)
    note = folder.with_name("all.json")
    said = str(caught.value)
    assert f"its SHA-256 is {sha(changed)}, not {sha(OWLS)}; nothing was kept" in said
    assert said.endswith(f"delete {note} and run again")
    note.unlink()
    assert (fetch_official("blimp", say=quiet) / "owls.jsonl").read_bytes() == changed


def test_a_file_that_was_changed_in_the_cache_is_noticed(offer) -> None:
    offer("blimp", {"owls.jsonl": OWLS})
    folder = fetch_official("blimp", say=quiet)
    (folder / "owls.jsonl").write_bytes(OWLS + OWLS)
    with pytest.raises(DataError, match=r"owls.jsonl is missing or has changed.*delete .*/all to"):
        read_dataset("blimp")


def test_a_path_is_never_fetched(offer, server: Server, tmp_path: Path) -> None:
    offer("blimp", {"owls.jsonl": OWLS})
    (tmp_path / "mine.jsonl").write_bytes(OWLS)
    read_dataset(f"blimp:{tmp_path / 'mine.jsonl'}")
    with pytest.raises(DataError, match="no file or folder 'nowhere'"):
        read_dataset("blimp:nowhere")
    assert server.asked == []


class TestParts:
    @pytest.fixture(autouse=True)
    def mirror(self, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HF_ENDPOINT", server.address)
        server.files[f"{PUBLIC}/deu/data.tsv"] = GERMAN
        server.files[f"{PUBLIC}/nld/data.tsv"] = GERMAN.replace(b"deu", b"nld")

    def test_a_language_of_multiblimp_is_fetched_by_its_code(self, server: Server) -> None:
        data = read_dataset("multiblimp:deu")
        assert (data.name, [s.name for s in data.sets]) == ("multiblimp-deu", ["deu/SV"])
        both = read_dataset("multiblimp:deu,nld")
        assert [(s.name, s.language) for s in both.sets] == [("deu/SV", "deu"), ("nld/SV", "nld")]
        assert server.asked == [f"{PUBLIC}/deu/data.tsv", f"{PUBLIC}/nld/data.tsv"]

    def test_unknown_and_missing_languages_are_said(self) -> None:
        with pytest.raises(UnknownNameError, match="no file, folder or part of multiblimp 'dei'"):
            read_dataset("multiblimp:dei")
        with pytest.raises(UsageError, match="multiblimp has 101 parts; name some"):
            read_dataset("multiblimp")

    def test_two_processes_may_fetch_at_once(self, server: Server, cache: Path) -> None:
        code = (
            "from priscian.datasets import read_dataset\n"
            "print([s.name for s in read_dataset('multiblimp:deu').sets])"
        )
        command = [sys.executable, "-c", code]
        both = [
            subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
            )
            for _ in range(2)
        ]
        said = [process.communicate(timeout=120) for process in both]
        assert [(p.returncode, out) for p, (out, _) in zip(both, said, strict=True)] == [
            (0, "['deu/SV']\n")
        ] * 2
        files = sorted(p.name for p in (cache / "data").rglob("*") if p.is_file())
        assert files == ["data.tsv", "deu.json"]


class TestArchives:
    ROW = json.dumps({"sentence_good": "他看书。", "sentence_bad": "他书看。", "UID": "order"})

    def zip(self, **members: str) -> bytes:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, text in members.items():
                archive.writestr(name.replace("__", "/"), text)
        return packed.getvalue()

    def tar(self, names: dict[str, str]) -> bytes:
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            for name, text in names.items():
                info = tarfile.TarInfo(name)
                info.size = len(text.encode())
                archive.addfile(info, io.BytesIO(text.encode()))
            link = tarfile.TarInfo("data/link.jsonl")
            link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(link)
        return packed.getvalue()

    def test_only_tables_are_unpacked_and_none_outside_the_folder(
        self, offer, tmp_path: Path
    ) -> None:
        members = {"data/a.jsonl": self.ROW, "../../evil.jsonl": self.ROW, "README.md": "x"}
        offer("zhoblimp", {"ZhoBLiMP.tar.gz": self.tar(members | {"data/.b.jsonl": self.ROW})})
        folder = fetch_official("zhoblimp", say=quiet)
        assert sorted(p.name for p in folder.iterdir()) == ["a.jsonl"]
        assert not list(tmp_path.rglob("*evil*"))

    def test_climp_is_read_from_its_zip(self, offer) -> None:
        rows = "classifier,cl,我买了一本书,1\nclassifier,cl,我买了一张书,0\n"
        offer("climp", {"CLiMP_corpus.zip": self.zip(corpus__cl=rows, corpus__cl_csv="")})
        with pytest.raises(DataError, match=r"CLiMP_corpus.zip has no file that ends in"):
            read_dataset("climp")
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("corpus/cl.csv", rows)
        offer("climp", {"CLiMP_corpus.zip": packed.getvalue()})
        assert [s.name for s in read_dataset("climp").sets] == ["cl"]

    def test_a_broken_archive_is_refused(self, offer) -> None:
        offer("climp", {"CLiMP_corpus.zip": b"PK\x03\x04 no"})
        with pytest.raises(DataError, match=r"CLiMP_corpus.zip cannot be unpacked"):
            fetch_official("climp", say=quiet)


def test_what_we_do_not_fetch_names_its_home() -> None:
    with pytest.raises(
        UsageError, match=r"ewok is not fetched, because you must accept its terms.*ewok:PATH"
    ):
        read_dataset("ewok")


def test_the_table_of_official_files_is_complete() -> None:
    known = official._pins()
    assert {name: len(files) for name, files in known.items()} == {
        "blimp": 67, "syntaxgym": 34, "rublimp": 45, "jblimp": 1, "qfrblimp": 1, "climp": 1,
        "zhoblimp": 1,
    }  # fmt: skip
    for name, source in officials().items():
        assert bool(source.base) != bool(source.terms)
        assert not source.base or source.parts or name in known
        assert source.base.endswith("/") or not source.base


def test_pinned_hashes_are_those_of_the_files_at_hand(shared: Path) -> None:
    pins = {file: pin for file, pin in official._pins()["blimp"].items() if pin}
    assert len(pins) == 3
    for file, pin in pins.items():
        assert sha((shared / "data" / "blimp" / file).read_bytes()) == pin
