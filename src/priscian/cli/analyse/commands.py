"""A command for each analysis, made of its function: the parameters, the docstring, the tables."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from cyclopts import Parameter

from priscian.analysis.registry import Analysis, find_analysis, list_analyses
from priscian.analysis.result import AnalysisResult, Runs
from priscian.cli.edge import as_flags
from priscian.cli.output import FLAT, Output, print_result

SEVERAL = Parameter(consume_multiple=False)
"""An option that is repeated for several values."""
WITHOUT = {"published": "Leave out the systems and people of the BLiMP paper."}
"""The help of an option that turns something off."""
JSON = Annotated[bool, Parameter(name="--json")]


def __getattr__(name: str) -> Any:
    """The command of an analysis, which is imported now."""
    if name.replace("_", "-") not in list_analyses():
        raise AttributeError(name)
    return command_of(find_analysis(name.replace("_", "-")))


def command_of(entry: Analysis) -> Any:
    """A function whose parameters are arguments and options, as the parser reads them."""
    signature = inspect.signature(entry.function, eval_str=True)
    takes = list(signature.parameters.values())
    result = signature.return_annotation
    shown = inspect.signature(result.tables, eval_str=True).parameters.values()
    views = [p for p in shown if p.kind is inspect.Parameter.KEYWORD_ONLY]
    switches = {p.name for p in takes if p.default is True}
    draws = result.figures is not AnalysisResult.figures

    def command(*arguments: Any, **options: Any) -> None:
        for name, option in entry.options.items():
            options[name] = options.pop(option)
        view = {p.name: options.pop(p.name, p.default) for p in views}
        form = options.pop("format_", "text")
        output = options.pop("output", None) or Output(json=options.pop("json_", False))
        for name in switches & options.keys():
            options[name] = not options[name]
        if _is_several(takes[0].annotation):
            arguments = (arguments,)
        found: Any = entry.function(
            *arguments, **{k: v for k, v in options.items() if v is not None}
        )
        if form == "text" or output.json:
            print_result(found, output, **view)
            return
        if output.figures is not None:
            found.write_figures(output.figures)
        print(found.formatted(form), end="")

    parameters = [_option(p, entry.options.get(p.name)) for p in takes]
    parameters += views
    if entry.formats:
        kind = Literal["text", *entry.formats]  # type: ignore[valid-type]
        said = f"{', '.join(('text', *entry.formats[:-1]))} or {entry.formats[-1]}."
        flag = Parameter(name="--format", help=said)
        parameters.append(_keyword("format_", Annotated[kind, flag], "text"))
    if draws:
        parameters.append(_keyword("output", Annotated[Output, FLAT], Output()))
    else:
        parameters.append(_keyword("json_", JSON, False))
    doc = "\n\n".join(  # without examples for Python
        part
        for part in (inspect.getdoc(entry.function) or "").split("\n\n")
        if not part.lstrip().startswith(">>>")
    )
    for name, option in entry.options.items():
        doc = re.sub(rf"^{name}$", option, doc, flags=re.MULTILINE)
    order = {name: place for place, name in enumerate(re.findall(r"^(\w+)$", doc, re.MULTILINE))}
    parameters.sort(key=lambda p: order.get(p.name, len(order)))
    command.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=parameters, return_annotation=None
    )
    command.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
    command.__doc__ = as_flags(doc if draws else f"{doc}\njson_\n    Print JSON.")
    return command


def _option(parameter: inspect.Parameter, option: str | None) -> inspect.Parameter:
    """A parameter of a library function as an argument or option of a command."""
    name, kind = parameter.name, parameter.annotation
    if option is not None:
        required = parameter.default is inspect.Parameter.empty
        return _keyword(option, _simple(kind), parameter.default if required else None)
    if parameter.default is inspect.Parameter.empty:
        if _is_several(kind):
            return inspect.Parameter(name, inspect.Parameter.VAR_POSITIONAL, annotation=Path)
        place = inspect.Parameter.POSITIONAL_ONLY
        return inspect.Parameter(name, place, annotation=_simple(kind))
    if parameter.default is True:
        flag = Parameter(name=f"--no-{name}", negative="", help=WITHOUT[name])
        return _keyword(name, Annotated[bool, flag], False)
    default = None if parameter.default == () else parameter.default
    return _keyword(name, _simple(kind), default)


def _is_several(kind: Any) -> bool:
    """Whether an argument may be given several times."""
    return kind is Runs or any(get_origin(part) is Sequence for part in get_args(kind))


def _keyword(name: str, kind: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)


def _simple(kind: Any) -> Any:
    """What a command line can give of a type: a path rather than its text, a text for a list."""
    parts = set(get_args(kind)) if get_origin(kind) in (Union, UnionType) else {kind}
    nothing = type(None) in parts
    if Path in parts:
        made: Any = Path
    elif any(get_origin(part) in (Mapping, Sequence) for part in parts):
        made = str if str in parts else Annotated[list[str] | None, SEVERAL]
    else:
        return kind
    return made | None if nothing and made in (Path, str) else made
