"""Read a pickle without running any of it.

A pickle is a program: it may name any function of any module and call it. Here every name becomes
an inert record, and so does every call of one; nothing is imported and nothing is called. What is
left is data: lists, dictionaries, numbers, texts, and records of what would have been made.
"""

from __future__ import annotations

import io
import pickletools
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MOST_STEPS = 3_000_000
"""Instructions of a pickle: a vocabulary of 270,000 words takes 1.6 million."""
MOST_BYTES = 48 << 20
"""Of a pickle; the numbers of a model lie outside it."""
LARGEST_KEY = 1 << 60

Persistent = Callable[[object], object]


class InertError(ValueError):
    """What is wrong with a pickle."""


@dataclass(frozen=True, slots=True)
class Global:
    """The name of a class or function; it is never looked up."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass(slots=True, eq=False)
class Made:
    """What a call would have made: the function, its arguments, and what was put in afterwards."""

    function: object
    args: object = ()
    state: object = None
    items: dict[Any, object] | None = None
    members: list[object] | None = None

    def is_call_of(self, *names: str) -> bool:
        """Whether the function has one of these names, in whatever module."""
        return isinstance(self.function, Global) and self.function.name in names


class PickleReader:
    """Pickles one after another, with a bound on all of them together."""

    def __init__(self, data: bytes) -> None:
        self._file = io.BytesIO(data)
        self._steps = 0

    @property
    def place(self) -> int:
        """Where the next pickle, or what follows the last one, begins."""
        return self._file.tell()

    def value(self, persistent: Persistent) -> object:
        """The next pickle's value; `persistent` says what an outside reference stands for."""
        machine = _PickleStack(persistent)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of odd escapes in texts
                for opcode, argument, _ in pickletools.genops(self._file):
                    self._steps += 1
                    if self._steps > MOST_STEPS:
                        raise InertError(f"it has more than {MOST_STEPS:,} instructions")
                    if opcode.name == "STOP":
                        return machine.pop()
                    machine.do(opcode.name, argument)
        except InertError:
            raise
        except (ValueError, TypeError, LookupError, AssertionError, OverflowError) as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0][:100]
            raise InertError(f"its pickle is damaged or cut short ({reason})") from None
        raise InertError("its pickle has no end")


def read_pickle(data: bytes, persistent: Persistent = lambda reference: reference) -> object:
    """The value of a pickle, with every class and call inert.

    >>> import pickle, os
    >>> read_pickle(pickle.dumps([1, {"a": (2.5, "b")}]))
    [1, {'a': (2.5, 'b')}]
    >>> found = read_pickle(pickle.dumps(os.system))
    >>> found.name
    'system'
    """
    return PickleReader(data).value(persistent)


_PUSHED = frozenset(
    {
        "INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT",
        "STRING", "BINSTRING", "SHORT_BINSTRING", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8",
        "BYTEARRAY8", "UNICODE", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8",
    }
)  # fmt: skip
_CONSTANTS: dict[str, Callable[[], object]] = {
    "NONE": lambda: None,
    "NEWTRUE": lambda: True,
    "NEWFALSE": lambda: False,
    "EMPTY_LIST": list,
    "EMPTY_DICT": dict,
    "EMPTY_TUPLE": tuple,
    "EMPTY_SET": list,
}
_TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}


class _PickleStack:
    """The stack and memo of one pickle."""

    def __init__(self, persistent: Persistent) -> None:
        self.persistent = persistent
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, object] = {}

    def do(self, name: str, argument: Any) -> None:
        """Carry out one instruction."""
        if name in _PUSHED:
            self.stack.append(argument)
        elif name in _CONSTANTS:
            self.stack.append(_CONSTANTS[name]())
        elif name in _TUPLES:
            self.stack.append(tuple(self.pop_some(_TUPLES[name])))
        elif name not in ("PROTO", "FRAME"):
            act = getattr(self, f"do_{name.lower()}", None)
            if act is None:
                raise InertError(f"its pickle has the instruction {name}, which no model needs")
            act(argument)

    def pop(self) -> Any:
        """The top of the stack, above the last mark."""
        if len(self.stack) <= (self.marks[-1] if self.marks else 0):
            raise InertError("its pickle takes from an empty stack")
        return self.stack.pop()

    def pop_some(self, count: int) -> list[Any]:
        """The topmost values, the lowest first."""
        return [self.pop() for _ in range(count)][::-1]

    def pop_marked(self) -> list[Any]:
        """All values above the last mark."""
        at = self.marks.pop()
        found = self.stack[at:]
        del self.stack[at:]
        return found

    def top(self) -> Any:
        """The top of the stack, left where it is."""
        self.stack.append(value := self.pop())
        return value

    # ------------------------------------------------ stack and memo

    def do_mark(self, _: None) -> None:
        self.marks.append(len(self.stack))

    def do_pop(self, _: None) -> None:
        if self.marks and self.marks[-1] == len(self.stack):
            self.marks.pop()
        else:
            self.pop()

    def do_pop_mark(self, _: None) -> None:
        self.pop_marked()

    def do_dup(self, _: None) -> None:
        self.stack.append(self.top())

    def do_put(self, place: int) -> None:
        if not 0 <= place < 1 << 32:
            raise InertError("its pickle remembers a value under an absurd number")
        self.memo[place] = self.top()

    do_binput = do_long_binput = do_put

    def do_memoize(self, _: None) -> None:
        self.memo[len(self.memo)] = self.top()

    def do_get(self, place: int) -> None:
        self.stack.append(self.memo[place])

    do_binget = do_long_binget = do_get

    # ------------------------------------------------ containers

    def do_list(self, _: None) -> None:
        self.stack.append(self.pop_marked())

    do_frozenset = do_list

    def do_tuple(self, _: None) -> None:
        self.stack.append(tuple(self.pop_marked()))

    def do_dict(self, _: None) -> None:
        made: dict[Any, object] = {}
        _fill(made, self.pop_marked())
        self.stack.append(made)

    def do_append(self, _: None) -> None:
        value = self.pop()
        _extend(self.top(), [value])

    def do_appends(self, _: None) -> None:
        values = self.pop_marked()
        _extend(self.top(), values)

    do_additems = do_appends

    def do_setitem(self, _: None) -> None:
        pair = self.pop_some(2)
        _fill(self.top(), pair)

    def do_setitems(self, _: None) -> None:
        pairs = self.pop_marked()
        _fill(self.top(), pairs)

    # ------------------------------------------------ names and calls, all inert

    def do_global(self, argument: str) -> None:
        module, _, name = argument.partition(" ")
        self.stack.append(Global(module, name))

    def do_stack_global(self, _: None) -> None:
        module, name = self.pop_some(2)
        if not isinstance(module, str) or not isinstance(name, str):
            raise InertError("its pickle names a class by something other than text")
        self.stack.append(Global(module, name))

    def do_reduce(self, _: None) -> None:
        self.stack.append(Made(*self.pop_some(2)))

    do_newobj = do_reduce

    def do_newobj_ex(self, _: None) -> None:
        function, args, named = self.pop_some(3)
        self.stack.append(Made(function, args, state=named))

    def do_inst(self, argument: str) -> None:
        module, _, name = argument.partition(" ")
        self.stack.append(Made(Global(module, name), tuple(self.pop_marked())))

    def do_obj(self, _: None) -> None:
        function, *args = self.pop_marked() or [None]
        self.stack.append(Made(function, tuple(args)))

    def do_build(self, _: None) -> None:
        state = self.pop()
        made = self.top()
        if not isinstance(made, Made):
            raise InertError("its pickle gives a state to something that is not an object")
        made.state = state

    def do_persid(self, argument: str) -> None:
        self.stack.append(self.persistent(argument))

    def do_binpersid(self, _: None) -> None:
        self.stack.append(self.persistent(self.pop()))


def _extend(target: object, values: list[Any]) -> None:
    if isinstance(target, Made):
        target.members = target.members if target.members is not None else []
        target = target.members
    if not isinstance(target, list):
        raise InertError("its pickle appends to something that is not a list")
    target.extend(values)


def _fill(target: object, flat: list[Any]) -> None:
    if isinstance(target, Made):
        target.items = target.items if target.items is not None else {}
        target = target.items
    if not isinstance(target, dict) or len(flat) % 2:
        raise InertError("its pickle fills something that is not a dictionary")
    for key, value in zip(flat[::2], flat[1::2], strict=True):
        plain = key is None or isinstance(key, str | bytes | Global)
        # larger numbers can be chosen so that all have one hash, which takes for ever
        if not plain and not (isinstance(key, int) and -LARGEST_KEY < key < LARGEST_KEY):
            raise InertError("its pickle has a dictionary with keys that are not names or numbers")
        target[key] = value
