"""Where participants come from: Prolific, MTurk, SONA or a plain link; and how they go back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from starlette.exceptions import HTTPException

from priscian.files import whole_number
from priscian.judge.store import Arrival
from priscian.judge.study import Study

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
MTURK_SUBMIT = ("https://www.mturk.com", "https://workersandbox.mturk.com")
"""The only hosts that results may be submitted to."""
MTURK_FRAMES = ("https://worker.mturk.com", "https://workersandbox.mturk.com",
                "https://requester.mturk.com", "https://requestersandbox.mturk.com")  # fmt: skip
"""Where workers do a task and requesters preview one: the pages that may show it in a frame."""
PROLIFIC = "https://app.prolific.com/submissions/complete"
PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "prolific": ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"),
    "mturk": ("workerId", "assignmentId", "hitId", "turkSubmitTo"),
    "sona": ("id",),
}
SESSIONS: Mapping[str, str] = {"prolific": "SESSION_ID", "mturk": "assignmentId"}
"""The parameter that only the person and the platform know, in contrast to an id."""
MOST_LISTS = 999_999
TEST = "test"
"""The parameter of the researcher's own trials of a study."""
_SAFE = re.compile(r"[A-Za-z0-9_.@:+-]{1,120}")


@dataclass(frozen=True, slots=True)
class Return:
    """How somebody goes back: a link, or a form that MTurk wants to be posted."""

    url: str = ""
    post: bool = False
    fields: Mapping[str, str] | None = None


def parameters(study: Study, given: Mapping[str, str]) -> dict[str, str]:
    """The parameters of the study's platform, and the list, if it may be asked for."""
    names = (*PARAMETERS[study.platform.kind], TEST)
    found = {name: given[name] for name in names if given.get(name)}
    for name, value in found.items():
        if name == "turkSubmitTo":
            _mturk_host(value)
        elif not _SAFE.fullmatch(value):
            raise HTTPException(400, "A parameter of the address is not valid.")
    if study.lists.from_url and given.get("list"):
        if whole_number(given["list"], MOST_LISTS) is None:
            raise HTTPException(400, "The list is not a number.")
        found["list"] = given["list"]
    return found


def is_preview(found: Mapping[str, str]) -> bool:
    """Whether MTurk shows the task to somebody who has not accepted it."""
    return found.get("assignmentId") == PREVIEW


def identity_of(study: Study, found: Mapping[str, str]) -> str:
    """The id that the platform gives a person, or nothing."""
    names = PARAMETERS[study.platform.kind]
    return found.get(names[0], "") if names else ""


def is_from_elsewhere(study: Study, found: Mapping[str, str]) -> bool:
    """Whether somebody has not come from the platform that they must come from."""
    platform = study.platform
    asked = platform.kind != "none" and platform.required
    return asked and not (identity_of(study, found) or is_preview(found) or TEST in found)


def arrival_of(study: Study, found: Mapping[str, str], device: str) -> Arrival:
    """Who comes in, by the parameters of their platform."""
    kind = study.platform.kind
    facts: dict[str, object] = {"device": device}
    session = found.get(SESSIONS.get(kind, ""), "")
    if session:
        facts["session"] = session
    if kind == "mturk":
        facts |= {k: found[k] for k in ("assignmentId", "turkSubmitTo") if k in found}
    number = int(found.get("list", 0))
    if TEST in found:
        return Arrival("none", "", number, "test", facts)
    return Arrival(kind, identity_of(study, found), number, facts=facts, session=session)


def _mturk_host(url: str) -> str:
    """Only MTurk's two hosts are accepted."""
    parts = urlsplit(url)
    host = f"{parts.scheme}://{parts.netloc}"
    if host not in MTURK_SUBMIT:
        raise HTTPException(400, "turkSubmitTo is not a host of MTurk.")
    return host


def way_back(study: Study, code: str, facts: Mapping[str, object], identity: str) -> Return:
    """Where somebody goes who has finished, failed or not agreed."""
    platform = study.platform
    if platform.kind == "prolific" and code:
        return Return(f"{PROLIFIC}?{urlencode({'cc': code})}")
    if platform.kind == "mturk" and facts.get("turkSubmitTo"):
        host = _mturk_host(str(facts["turkSubmitTo"]))
        fields = {"assignmentId": str(facts.get("assignmentId", "")), "code": code}
        return Return(f"{host}/mturk/externalSubmit", True, fields)
    if platform.kind == "sona" and identity:
        query = {
            "experiment_id": platform.experiment_id,
            "credit_token": platform.credit_token,
            "survey_code": identity,
        }
        return Return(f"{platform.sona_url.rstrip('/')}/webstudy_credit.aspx?{urlencode(query)}")
    return Return()
