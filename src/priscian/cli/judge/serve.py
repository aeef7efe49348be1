"""`priscian judge serve` and `status`: run a study, and see how it stands."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from priscian.cli.output import Flag, grid, print_json
from priscian.cli.screen import out
from priscian.errors import UsageError, counted, install
from priscian.files import plain
from priscian.judge.opening import latest, open_store
from priscian.judge.summary import summarise


def serve_command(
    study: Path,
    /,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    database: str = "",
    behind_proxy: Flag = False,
    url: str = "",
    new_admin_token: Flag = False,
) -> None:
    """Serve a study: participants at /, the researcher at /admin.

    Answers are kept in judge.sqlite in the folder of the study. The researcher's token is shown
    when the study is served for the first time.

    Examples:
      priscian judge serve study/
      priscian judge serve study/ --behind-proxy --url https://study.example.org

    Parameters
    ----------
    study
        Folder of the study.
    host
        Address to listen on.
    port
        Port to listen on; 0 for any that is free.
    database
        Where answers are kept: another file, or postgresql://… for several processes.
    behind_proxy
        A proxy in front does TLS and says where requests come from (X-Forwarded-For).
    url
        Address at which people find the study, if the proxy changes the host or the path.
    new_admin_token
        Replace the researcher's token.
    """
    try:
        from priscian.judge.app.serve import serve_study
    except ImportError as error:
        raise UsageError(f"serving needs {error.name}: {install('judge')}") from None

    serve_study(
        study,
        database=database,
        host=host,
        port=port,
        behind_proxy=behind_proxy,
        url=url,
        new_admin_token=new_admin_token,
        told=lambda line: print(line, flush=True),
    )


def status_command(study: Path, /, *, database: str = "", json: Flag = False) -> None:
    """Progress by list, agreement, accuracy, response times, and who is left out.

    Inactive places of a list are given to others. Intervals of accuracy cover other people and
    other items.

    Parameters
    ----------
    study
        Folder of the study.
    database
        Where answers are kept.
    json
        Print JSON.
    """
    with closing(open_store(study, database)) as store:
        frozen = latest(store, study)
        found = summarise(store, frozen)
    if json:
        print_json(plain(found))
        return
    console = out()
    print(
        f"{frozen.study.name}, version {found.version}: {found.complete} complete, {found.live} "
        f"under way, {found.answers} answers"
    )
    if found.tests:
        print(f"{counted(found.tests, 'test sitting')} not counted")
    target = found.target or "no limit"
    lists = [(*row, target) for row in found.lists]
    for title, columns, rows in (
        ("Lists", ("list", "complete", "under way", "no answer yet", "inactive", "target"), lists),
        ("Agreement", ("measure", "value"), found.agreement),
        ("Accuracy against the labels", ("set", "answers", "accuracy", "interval"), found.accuracy),
        ("Response times", ("seconds", "answers"), found.times),
        ("Left out", ("person", "reason"), found.excluded),
    ):
        table = grid(title, columns)
        for row in rows:
            table.add_row(*map(str, row))
        if rows:
            console.print(table)
        if rows and rows is found.agreement and found.agreement_note:
            print(found.agreement_note)
