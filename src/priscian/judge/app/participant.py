"""Pages of participants: consent, instructions, trials, questions about them, the code."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from priscian.judge.app import flow
from priscian.judge.app.limits import read_body, read_form
from priscian.judge.app.platforms import entry_of, is_preview, parameters, way_back
from priscian.judge.app.site import Site
from priscian.judge.assign import enter, resume
from priscian.judge.frozen import Frozen
from priscian.judge.records import Answer, Shown, Sitting
from priscian.judge.store import Store, random_code
from priscian.judge.study import QUESTIONS

_PHONE = re.compile(r"Mobi|Android|iPhone|iPad", re.IGNORECASE)


def _site(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


def _go(request: Request, token: str) -> RedirectResponse:
    return RedirectResponse(f"{request.scope.get('root_path', '')}/s/{token}", 303)


async def welcome(request: Request) -> Response:
    """Welcome and consent; the parameters of the platform travel in the form."""
    site = _site(request)
    found = parameters(site.frozen.study, request.query_params)
    if await site.desk.read(lambda store: store.setting("paused")):
        return site.page("message", request, {"message": "paused"}, 503)
    preview = is_preview(found)
    return site.page("welcome", request, {"parameters": found, "preview": preview})


async def start(request: Request) -> Response:
    """Begin a sitting, or go on with one."""
    site = _site(request)
    site.count_entry(request)
    form = await read_form(request)
    study = site.frozen.study
    found = parameters(study, form)
    if is_preview(found):
        raise HTTPException(400, "Accept the task before you begin.")
    device = "phone" if _PHONE.search(request.headers.get("user-agent", "")) else "desktop"
    entry = entry_of(study, found, device)
    if form.get("consent") != "yes":
        back = way_back(study, study.platform.no_consent, entry.facts, entry.identity)
        return site.page("message", request, {"message": "declined", "back": back})
    if await site.desk.read(lambda store: store.setting("paused")):
        return site.page("message", request, {"message": "paused"}, 503)
    sitting = await site.desk.write(lambda store: enter(store, site.frozen, entry))
    if not isinstance(sitting, Sitting):
        return site.page("message", request, {"message": sitting})
    if form.get("website"):  # nobody sees this field
        await site.desk.write(lambda store: store.note(sitting.id, {"honeypot": True}))
    return _go(request, sitting.token)


async def show(request: Request) -> Response:
    """The page that a sitting is at."""
    site = _site(request)
    sitting = await site.sitting(request)
    frozen = await site.study_of(sitting)
    if (
        sitting.state == "live"
        and time.time() - sitting.seen > 60 * frozen.study.targets.resume_within
    ):
        await site.desk.write(lambda store: resume(store, frozen, sitting))
    trials = await site.desk.read(lambda store: store.trials(sitting.id))
    return await _page(request, sitting, frozen, trials)


async def _page(
    request: Request,
    sitting: Sitting,
    frozen: Frozen,
    trials: list[Shown],
    problem: str = "",
    about: Mapping[str, str] = MappingProxyType({}),
) -> Response:
    site = _site(request)
    step = flow.step_of(frozen.study, sitting, trials)
    values: dict[str, Any] = {
        "token": sitting.token,
        "problem": problem,
        "done": sum(t.response is not None for t in trials),
        "total": len(trials),
        "questions": QUESTIONS,
        "about": about,
    }
    if step == "trial":
        trial = flow.next_trial(trials)
        assert trial is not None
        values["trial"] = flow.display(frozen, trial, len(trials))
        values["points"] = range(1, frozen.study.scale.points + 1)
    if step in ("end", "failed"):
        code, identity = await site.desk.write(lambda store: _finish(store, sitting, frozen, step))
        if step == "end" and not code:
            raise HTTPException(503, "Not everything has been saved yet.")
        values |= {"code": code, "deletion": sitting.deletion}
        values["back"] = way_back(frozen.study, code, sitting.facts, identity)
    return site.page(step, request, values, 422 if problem else 200, frozen.study)


def _finish(store: Store, sitting: Sitting, frozen: Frozen, step: str) -> tuple[str, str]:
    """The code of somebody at the end, and their id on the platform, which SONA wants back."""
    identity = store.identity(sitting.person)
    if step == "failed":
        return frozen.study.platform.failed, identity
    return store.finish(sitting.id, frozen.study.platform.complete or random_code()), identity


async def send(request: Request) -> Response:
    """Take the form of the page that a sitting is at."""
    site = _site(request)
    sitting = await site.sitting(request)
    frozen = await site.study_of(sitting)
    form = await read_form(request)
    trials = await site.desk.read(lambda store: store.trials(sitting.id))
    step = form.get("step", "")
    if sitting.state == "live":
        if step == "trial":
            answer = flow.form_answer(frozen.study, form, time.time())
            if answer is None or answer.position not in {t.position for t in trials}:
                return await _page(request, sitting, frozen, trials, "choose")
            given, trap = [answer], bool(form.get("website"))
            await site.desk.write(lambda store: _keep(store, sitting, given, trap))
        elif step == "instructions":
            await site.desk.write(lambda store: store.note(sitting.id, {"read": time.time()}))
        elif step == "comprehension":
            wrong = await _comprehension(site, sitting, frozen, form)
            if wrong:
                return await _page(request, sitting, frozen, trials, "check_wrong")
        elif step == "about":
            about = {q: form.get(q, "").strip()[: flow.TEXT] for q in frozen.study.demographics}
            if not all(about.get(q) for q in flow.required(frozen.study)):
                return await _page(request, sitting, frozen, trials, "required", about)
            await site.desk.write(lambda store: store.note(sitting.id, {"about": about}))
    return _go(request, sitting.token)


async def _comprehension(
    site: Site, sitting: Sitting, frozen: Frozen, form: dict[str, str]
) -> bool:
    """Whether the questions were answered wrongly and may be answered again."""
    checks = frozen.study.checks
    if sitting.facts.get("understood"):
        return False
    right = all(form.get(f"q{n}") == q.answer for n, q in enumerate(checks.comprehension, start=1))
    tries = int(sitting.facts.get("tries", 0)) + 1
    state = "" if right or tries < checks.tries else "failed"
    facts = {"tries": tries, **({"understood": True} if right else {})}
    await site.desk.write(lambda store: store.note(sitting.id, facts, state))
    return not right and not state


def _keep(store: Store, sitting: Sitting, answers: list[Answer], honeypot: bool) -> None:
    for answer in answers:
        store.answer(sitting.id, sitting.version, answer)
    store.touch(sitting.id)
    if honeypot:
        store.note(sitting.id, {"honeypot": True})


async def block(request: Request) -> Response:
    """The trials that are left, for a page that may lose its connection."""
    site = _site(request)
    sitting = await site.sitting(request)
    frozen = await site.study_of(sitting)
    trials = await site.desk.read(lambda store: store.trials(sitting.id))
    ready = sitting.state == "live" and flow.step_of(frozen.study, sitting, trials) == "trial"
    left = [t for t in trials if t.response is None] if ready else []
    return JSONResponse(
        {
            "task": frozen.study.task,
            "language": frozen.study.language,
            "total": len(trials),
            "trials": [flow.display(frozen, t, len(trials)) for t in left],
        }
    )


async def answers(request: Request) -> Response:
    """Keep answers that the outbox sends; each may be sent again at no harm."""
    site = _site(request)
    token = site.token(request)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, "Send JSON.")
    try:
        body = json.loads(await read_body(request))
        rows = body["answers"]
        if not isinstance(rows, list):
            raise TypeError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise HTTPException(400, 'Send {"answers": […]}.') from None
    honeypot = bool(body.get("website"))
    saved = await site.desk.write(lambda store: _take(store, site, token, rows, honeypot))
    return JSONResponse(
        {"saved": saved, "refused": len(rows) - len(saved)},
        200 if len(saved) == len(rows) else 422,
    )


def _take(store: Store, site: Site, token: str, rows: list[Any], honeypot: bool) -> list[int]:
    """Positions of the answers that were kept; one job, since most requests are of this kind."""
    sitting = site.known(store, token)
    study = site.versions.of(store, sitting.version).study
    if sitting.state == "failed" or not sitting.facts.get("read"):
        raise HTTPException(409, "The sitting is not at its trials.")
    last = store.last_position(sitting.id)
    read = [flow.json_answer(study, row) for row in rows]
    good = [a for a in read if a is not None and 1 <= a.position <= last]
    if good:
        _keep(store, sitting, good, honeypot)
    return [a.position for a in good]
