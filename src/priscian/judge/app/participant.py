"""Pages of participants: consent, instructions, trials, questions about them, the code."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from priscian.judge.app.platforms import (
    TEST,
    arrival_of,
    is_from_elsewhere,
    is_preview,
    parameters,
    way_back,
)
from priscian.judge.app.site import Site, site_of
from priscian.judge.sitting import (
    At,
    Refusal,
    can_go_again,
    display,
    enter,
    form_answer,
    go_again,
    json_answer,
    resume,
    seal,
    takes_answers,
)
from priscian.judge.store import Arrival, SentAnswer, Sitting, Store, random_code
from priscian.judge.study import Study, words
from priscian.web.front import go
from priscian.web.limits import read_form, read_json

ANSWERS = '{"answers": […]}'
TEXT = 2_000
"""Characters of free text."""
_PHONE = re.compile(r"Mobi|Android|iPhone|iPad", re.IGNORECASE)


def _message(request: Request, message: str, status: int = 200, **values: Any) -> Response:
    return site_of(request).page("message", request, {"message": message, **values}, status)


def _begun(request: Request, sitting: Sitting | Refusal) -> Response:
    """On to a sitting, or why somebody cannot begin one."""
    if isinstance(sitting, Sitting):
        return go(request, f"/s/{sitting.token}")
    if sitting == "paused":
        return _message(request, "paused", 503)
    platform = site_of(request).frozen.study.platform.kind
    more = "done_code" if sitting == "done" and platform != "none" else ""
    return _message(request, sitting, more=more)


def _visit_key(arrival: Arrival) -> str:
    """Under which name a browser remembers the sitting of somebody, without their id."""
    if arrival.kind == "test" or not arrival.identity:
        return "-" if arrival.kind == "person" else arrival.kind
    return hashlib.sha256(f"{arrival.identity}\n{arrival.session}".encode()).hexdigest()[:12]


def _open(store: Store, found: Mapping[str, str]) -> bool:
    """Whether people can begin; for a test the key has to be right."""
    if TEST in found and found[TEST] != (store.setting("test") or None):
        raise HTTPException(403, "The address for trying the study is on the page /admin.")
    return not store.setting("paused")


async def welcome(request: Request) -> Response:
    """Welcome and consent; the parameters of the platform travel in the form."""
    site = site_of(request)
    study = site.frozen.study
    found = parameters(study, request.query_params)
    if not await site.desk.read(lambda store: _open(store, found)):
        return _message(request, "paused", 503)
    if is_from_elsewhere(study, found):
        return _message(request, "elsewhere", 403)
    values = {
        "parameters": found,
        "preview": is_preview(found),
        "visit": _visit_key(arrival_of(study, found, "")),
        "test": TEST in found,
    }
    return site.page("welcome", request, values)


async def start(request: Request) -> Response:
    """Begin a sitting, or go on with one."""
    site = site_of(request)
    form = await read_form(request)
    study = site.frozen.study
    found = parameters(study, form)
    if is_preview(found):
        raise HTTPException(400, "Accept the task before you begin.")
    device = "phone" if _PHONE.search(request.headers.get("user-agent", "")) else "desktop"
    arrival = arrival_of(study, found, device)
    if form.get("consent") != "yes":
        back = way_back(study, study.platform.no_consent, arrival.facts, arrival.identity)
        return _message(request, "declined", back=back)
    if is_from_elsewhere(study, found):
        return _message(request, "elsewhere", 403)
    try:
        site.count_entry(request)
    except HTTPException as refused:  # the page tries again by itself
        wait = (refused.headers or {})["Retry-After"]
        sent = {**found, **({"another": "1"} if form.get("another") else {})}
        values = {"parameters": sent, "wait": wait, "visit": "-"}
        page = site.page("busy", request, values, refused.status_code)
        page.headers["Retry-After"] = wait
        return page
    noted = {"another": True} if form.get("another") else {}
    if form.get("website"):  # nobody sees this field
        noted["honeypot"] = True

    def begin(store: Store) -> Sitting | Refusal:
        if not _open(store, found):
            return "paused"
        sitting = enter(store, site.frozen, arrival)
        if noted and isinstance(sitting, Sitting):
            store.note(sitting.id, noted)
        return sitting

    return _begun(request, await site.desk.write(begin))


async def show(request: Request) -> Response:
    """The page that a sitting is at."""
    site = site_of(request)
    token = site.token(request)
    at = await site.desk.read(lambda store: site.at(store, token))
    pause = time.time() - at.sitting.seen
    if at.sitting.state == "live" and pause > 60 * at.frozen.study.targets.resume_within:
        at = await site.desk.write(lambda store: _resume(store, site, token))
    return await _page(request, at)


def _resume(store: Store, site: Site, token: str) -> At:
    """Go on after a long pause; decided here, since another request may just have done it."""
    at = site.at(store, token)
    if at.sitting.state == "live":
        resume(store, at.frozen, at.sitting)
    return site.at(store, token)


async def _page(
    request: Request,
    at: At,
    problem: str = "",
    about: Mapping[str, str] = MappingProxyType({}),
) -> Response:
    site = site_of(request)
    study, sitting, step = at.frozen.study, at.sitting, at.step
    session = str(sitting.facts.get("session", ""))
    known = Arrival(identity=at.identity, kind=sitting.kind, session=session)
    values: dict[str, Any] = {
        "token": sitting.token,
        "problem": problem,
        "done": len(at.trials) - len(at.unanswered),
        "total": len(at.trials),
        "deletion": sitting.deletion,
        "visit": _visit_key(known),
        "test": sitting.kind == "test",
        "about": about,
    }
    if step == "trial":
        values["trial"] = display(at.frozen, at.unanswered[0], len(at.trials))
        values["points"] = range(1, study.scale.points + 1)
        # a study in another language may have only the words for sentences
        own = study.task == "choice" and not ("trial" in study.words and "pair" not in study.words)
        values["heading"] = words(study)["pair" if own else "trial"]
    if step in ("end", "failed"):

        def finish(store: Store) -> tuple[str, bool]:
            """The code of somebody at the end, and whether they may take part once more."""
            at = site.at(store, sitting.token)
            platform = at.frozen.study.platform
            if at.step == "failed":
                return platform.failed, False
            code = store.finish(at.sitting.id, platform.complete or random_code())
            return code, platform.kind == "none" and can_go_again(store, site.frozen, at.sitting)

        code, more = await site.desk.write(finish)
        if step == "end" and not code:
            raise HTTPException(503, "Not everything has been saved yet.")
        values |= {"code": code, "more": more}
        values["back"] = way_back(study, code, sitting.facts, at.identity)
    return site.page(step, request, values, 422 if problem else 200, study)


async def again(request: Request) -> Response:
    """Another sitting of somebody who has finished one."""
    site = site_of(request)
    token = site.token(request)
    site.count_entry(request)

    def begin(store: Store) -> Sitting | Refusal:
        at = site.at(store, token)
        if at.sitting.state != "complete" or at.frozen.study.platform.kind != "none":
            return at.sitting
        return "paused" if store.setting("paused") else go_again(store, site.frozen, at.sitting)

    return _begun(request, await site.desk.write(begin))


async def send(request: Request) -> Response:
    """Take the form of the page that a sitting is at."""
    site = site_of(request)
    token = site.token(request)
    form = await read_form(request)
    problem = await site.desk.write(lambda store: _step(store, site, token, form))
    if problem:
        at = await site.desk.read(lambda store: site.at(store, token))
        return await _page(request, at, problem, _about(at.frozen.study, form))
    return go(request, f"/s/{token}")


def _step(store: Store, site: Site, token: str, form: Mapping[str, str]) -> str:
    """Keep what a form says, if the sitting is where the form thinks; what is wrong with it.

    One job, so that two forms at once cannot both be the first.
    """
    at = site.at(store, token)
    study, sitting, step = at.frozen.study, at.sitting, form.get("step", "")
    if sitting.state != "live":
        return ""
    if step == "trial" and takes_answers(study, sitting):
        answer = form_answer(study, form, time.time())
        if answer is None or not 1 <= answer.position <= len(at.trials):
            return "choose"
        _keep(store, sitting, [answer], bool(form.get("website")))
    elif step != at.step:
        return ""
    elif step == "instructions":
        store.note(sitting.id, {"read": time.time()})
    elif step == "comprehension":  # too many wrong attempts end the sitting
        asked = enumerate(study.checks.comprehension, start=1)
        right = all(form.get(f"q{n}") == question.answer for n, question in asked)
        tries = int(sitting.facts.get("tries", 0)) + 1
        failed = not right and tries >= study.checks.tries
        facts = {"tries": tries, **({"understood": True} if right else {})}
        store.note(sitting.id, facts, "failed" if failed else "")
        return "" if right or failed else "check_wrong"
    elif step == "about":
        about = _about(study, form)
        if study.exclusion.native and not about.get("native_languages"):  # a rule needs it
            return "required"
        store.note(sitting.id, {"about": about})
    return ""


def _about(study: Study, form: Mapping[str, str]) -> dict[str, str]:
    """What somebody says of themselves."""
    return {q: form.get(q, "").strip()[:TEXT] for q in study.demographics}


def _keep(store: Store, sitting: Sitting, answers: list[SentAnswer], honeypot: bool) -> None:
    for answer in answers:
        store.answer(sitting.id, sitting.version, answer)
    store.touch(sitting.id)
    if honeypot:
        store.note(sitting.id, {"honeypot": True})


async def block(request: Request) -> Response:
    """The trials that are left, for a page that may lose its connection."""
    site = site_of(request)
    token = site.token(request)
    at = await site.desk.read(lambda store: site.at(store, token))
    left = at.unanswered if at.step == "trial" else []
    return JSONResponse(
        {
            "task": at.frozen.study.task,
            "language": at.frozen.study.language,
            "total": len(at.trials),
            "trials": [display(at.frozen, t, len(at.trials)) for t in left],
        }
    )


async def answers(request: Request) -> Response:
    """Keep answers that the outbox sends; each may be sent again at no harm."""
    site = site_of(request)
    token = site.token(request)
    body = await read_json(request, ANSWERS)
    rows = body.get("answers") if isinstance(body, dict) else None
    if not isinstance(rows, list):
        raise HTTPException(400, f"Send {ANSWERS}.")
    honeypot = bool(body.get("website"))
    saved = await site.desk.write(lambda store: _take(store, site, token, rows, honeypot))
    return JSONResponse(
        {"saved": saved, "refused": len(rows) - len(saved)},
        200 if len(saved) == len(rows) else 422,
    )


def _take(store: Store, site: Site, token: str, rows: list[Any], honeypot: bool) -> list[int]:
    """Positions of the answers that were kept; one job, since most requests are of this kind.

    Of several answers to one trial the first is taken; of a sitting that is complete, none is kept.
    """
    sitting = site.known(store, token)
    frozen = site.versions.of(store, sitting.version)
    if not takes_answers(frozen.study, sitting):
        raise HTTPException(409, "The sitting is not at its trials.")
    taken: dict[int, SentAnswer] = {}
    saved, changed = [], False
    for row in rows:
        answer = json_answer(frozen.study, row)
        trial = store.trial(sitting.id, answer.position) if answer else None
        if answer is None or trial is None:
            continue
        on_screen = row.get("shown", "")
        if on_screen and on_screen != seal(display(frozen, trial, 0)["sentences"]):
            changed = True
            continue
        taken.setdefault(answer.position, answer)
        saved.append(answer.position)
    if changed:
        store.note(sitting.id, {"changed": int(sitting.facts.get("changed", 0)) + 1})
    if taken and sitting.state == "live":
        _keep(store, sitting, list(taken.values()), honeypot)
    return saved
