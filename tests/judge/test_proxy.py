"""Behind a proxy: the recipes of the guide, the proxies' defaults, and what `judge check` says."""

from __future__ import annotations

import re
import shutil
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from priscian.cli import run
from tests.judge.client import fields
from tests.judge.process import Process, free_port
from tests.judge.studies import make

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "serving.md").read_text("utf-8")
DEFAULTS = "server { listen 443 ssl; location / { proxy_pass http://127.0.0.1:8000; } }"
Proxy = Callable[[str, int], str]


def recipes(kind: str) -> list[str]:
    """The blocks of the guide that are marked so."""
    return re.findall(rf"^```{kind}\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)


def answering(port: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until a port takes connections."""
    import socket

    until = time.monotonic() + 60
    while True:
        assert process.poll() is None, "the proxy has stopped"
        try:
            socket.create_connection(("127.0.0.1", port), 5).close()
            return
        except OSError:
            assert time.monotonic() < until
            time.sleep(0.05)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for process in started:
        process.terminate()
        process.wait(30)


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate of our own for this machine, and its key."""
    if not shutil.which("openssl"):
        pytest.skip("needs openssl")
    folder = tmp_path_factory.mktemp("tls")
    made = folder / "cert.pem", folder / "key.pem"
    names = "subjectAltName=IP:127.0.0.1,DNS:localhost"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", "/CN=study", "-addext", names,
         "-out", made[0], "-keyout", made[1]],
        check=True, capture_output=True,
    )  # fmt: skip
    return made


@pytest.fixture
def nginx(
    tmp_path: Path,
    running: list[subprocess.Popen[bytes]],
    certificate: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> Proxy:
    """Runs a server block in front of a port; its address, with TLS that this process trusts."""
    program = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
    if program is None:
        pytest.skip("needs nginx: apt install nginx-light")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))

    def start(block: str, behind: int) -> str:
        port, folder = free_port(), tmp_path / "nginx"
        folder.mkdir()
        block = block.replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl")
        block = block.replace("127.0.0.1:8000", f"127.0.0.1:{behind}")
        block = re.sub(r"server_name [^;]+;|ssl_certificate(_key)? [^;]+;", "", block)
        temporary = "".join(
            f"{name}_temp_path {folder / name};\n"
            for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        (folder / "nginx.conf").write_text(
            f"daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;\n"
            f"events {{}}\nhttp {{ access_log off;\n{temporary}"
            f"ssl_certificate {certificate[0]}; ssl_certificate_key {certificate[1]};\n{block}}}\n"
        )
        log = (folder / "out.txt").open("wb")
        words = [program, "-p", str(folder), "-e", str(folder / "e.log"), "-c", "nginx.conf"]
        running.append(subprocess.Popen(words, stdout=log, stderr=log))
        log.close()
        answering(port, running[-1])
        return f"https://127.0.0.1:{port}"

    return start


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Callable[..., Process]]:
    """A study served by the command line with further options."""
    started: list[Process] = []

    def start(*options: str, port: int = 0) -> Process:
        made = Process(make(tmp_path / "study"), port or free_port(), "", options)
        started.append(made)
        made.start()
        return made

    yield start
    for process in started:
        process.stop()


def token(process: Process) -> str:
    """The researcher's token, as it was printed."""
    found = re.search(r"shown only now: (\S+)", (process.folder / "log.txt").read_text())
    assert found is not None
    return found[1]


def client(url: str, certificate: tuple[Path, Path], address: str = "") -> httpx.Client:
    """A client of the proxy, from another address of this machine if one is named."""
    trusted = ssl.create_default_context(cafile=str(certificate[0]))
    transport = httpx.HTTPTransport(verify=trusted, local_address=address or None)
    return httpx.Client(base_url=url, transport=transport, timeout=60)


def log_in(people: httpx.Client, origin: str, process: Process, path: str = "") -> httpx.Response:
    return people.post(
        f"{path}/admin/login", data={"token": token(process)}, headers={"Origin": origin}
    )


def take_part(people: httpx.Client, path: str = "") -> str:
    """A whole sitting with the page's own links and forms; the last page."""
    action = re.search(r'action="([^"]*/start)"', people.get(f"{path}/").text)
    assert action is not None
    begun = people.post(action[1], data={"consent": "yes"})
    assert begun.status_code == 303, begun.text
    place = begun.headers["location"]
    people.post(place, data={"step": "instructions"})
    for _ in range(20):
        page = people.get(place)
        if not fields(page):
            return page.text
        people.post(place, data={**fields(page), "answer": "left"})
    raise AssertionError("no end")


def test_nginx_of_the_guide_passes_everything_on(
    nginx: Proxy,
    served: Callable[..., Process],
    certificate: tuple[Path, Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    process = served("--behind-proxy")
    url = nginx(recipes("nginx")[0], process.port)
    assert run(["judge", "check", str(process.folder), "--url", url]) == 0
    assert "people can reach the study" in capsys.readouterr().out
    with client(url, certificate) as people:
        assert 'id="code"' in take_part(people)
        assert log_in(people, "https://evil.example", process).status_code == 403
        assert log_in(people, url.replace("https", "http"), process).status_code == 403
        done = log_in(people, url, process)
        assert done.status_code == 303
        assert "Secure" in done.headers["set-cookie"]
        forged = {"X-Forwarded-For": "203.0.113.9"}
        said = [
            people.post("/start", data={"consent": "yes"}, headers=forged).status_code
            for _ in range(130)
        ]
        assert said[:50] == [303] * 50
        assert 429 in said
    with client(url, certificate, "127.0.0.2") as others:
        assert others.post("/start", data={"consent": "yes"}).status_code == 303


def test_nginx_as_it_comes_needs_the_address_and_check_says_so(
    nginx: Proxy,
    served: Callable[..., Process],
    certificate: tuple[Path, Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    process = served("--behind-proxy")
    url = nginx(DEFAULTS, process.port)
    assert run(["judge", "check", str(process.folder), "--url", url]) == 1
    said = capsys.readouterr()
    assert "nobody can log in at /admin, since the proxy changes the Host header" in said.out
    assert f"--url {url}" in said.out
    assert "X-Forwarded-For" in said.err
    with client(url, certificate) as people:
        refused = log_in(people, url, process)
        assert refused.status_code == 403
        assert "--url" in refused.text
        statuses = {people.post("/start", data={"consent": "yes"}).status_code for _ in range(100)}
        assert statuses == {303}, "a class that starts at once is let in"
    process.stop()
    process.options = ("--behind-proxy", "--url", url)
    process.start()
    with client(url, certificate) as people:
        assert log_in(people, url, process).status_code == 303
    assert url in (process.folder / "log.txt").read_text()


def test_a_study_below_a_path(
    nginx: Proxy, served: Callable[..., Process], certificate: tuple[Path, Path]
) -> None:
    port = free_port()
    host = nginx(recipes("nginx")[1], port)
    process = served("--behind-proxy", "--url", f"{host}/islands", port=port)
    assert run(["judge", "check", str(process.folder), "--url", f"{host}/islands"]) == 0
    with client(host, certificate) as people:
        assert 'id="code"' in take_part(people, "/islands")
        done = log_in(people, host, process, "/islands")
        assert done.status_code == 303
        assert "Path=/islands/admin" in done.headers["set-cookie"]
        assert "Progress by list" in people.get("/islands/admin").text


def test_caddy_of_the_guide_passes_everything_on(
    tmp_path: Path,
    running: list[subprocess.Popen[bytes]],
    served: Callable[..., Process],
    monkeypatch: pytest.MonkeyPatch,
    certificate: tuple[Path, Path],
) -> None:
    program = shutil.which("caddy")
    if program is None:
        pytest.skip("needs Caddy: apt install caddy")
    process, port = served("--behind-proxy"), free_port()
    (recipe,) = recipes("caddy")
    recipe = recipe.replace("study.example.org", f"http://127.0.0.1:{port}")
    recipe = recipe.replace("127.0.0.1:8000", f"127.0.0.1:{process.port}")
    (tmp_path / "Caddyfile").write_text("{\n admin off\n}\n" + recipe)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    words = [program, "run", "--adapter", "caddyfile", "--config", str(tmp_path / "Caddyfile")]
    with (tmp_path / "caddy.txt").open("wb") as log:
        running.append(subprocess.Popen(words, stdout=log, stderr=log))
    answering(port, running[-1])
    url = f"http://127.0.0.1:{port}"
    assert run(["judge", "check", str(process.folder), "--url", url]) == 0
    with client(url, certificate) as people:
        assert 'id="code"' in take_part(people)
        done = log_in(people, url, process)
        assert done.status_code == 303
        assert "Secure" not in done.headers["set-cookie"], "the browser would not send it back"


def test_the_unit_of_the_guide_is_valid(tmp_path: Path) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("needs systemd-analyze")
    (unit,) = recipes("systemd")
    assert "priscian judge serve study --behind-proxy" in unit
    file = tmp_path / "judge.service"
    file.write_text(unit.replace("/srv/judge/.venv/bin/priscian", "/bin/true"))
    done = subprocess.run(
        [program, "verify", "--man=no", str(file)], capture_output=True, text=True, check=False
    )
    about_ours = [line for line in done.stderr.splitlines() if "judge.service" in line]
    assert about_ours == []


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("study.example.org", "is not an address"),
        ("http://127.0.0.1:1", "is the study being served"),
    ],
)
def test_an_address_that_leads_nowhere_is_said(
    url: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["judge", "check", str(make(tmp_path)), "--url", url]) == 1
    assert said in capsys.readouterr().err


def test_check_names_another_study_at_the_address(
    served: Callable[..., Process], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    process = served()
    other = make(tmp_path / "other", "likert")
    assert run(["judge", "check", str(other), "--url", process.url]) == 1
    assert "serves another study" in capsys.readouterr().err
