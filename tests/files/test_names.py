"""File names made of other names: different for different ones, and never outside of a folder."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.errors import OutputError
from priscian.files import file_names, inside, lasting_name, name_files

ODD = st.text(st.sampled_from("aAb/\\ .-@_é:\0\ud800") | st.characters(), max_size=6)


def seen(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()


@given(st.dictionaries(st.tuples(ODD, ODD), ODD, max_size=8), st.sampled_from([[], ["a", "A.b"]]))
def test_different_keys_get_different_files_inside_the_folder(
    wanted: dict[tuple[str, str], str], taken: list[str]
) -> None:
    made = name_files(wanted, taken)
    assert made.keys() == wanted.keys()
    assert len({seen(name) for name in (*made.values(), *taken)}) == len(made) + len(taken)
    for name in made.values():
        assert inside(Path("out"), name).parent == Path("out")


@given(st.lists(ODD, unique=True, max_size=8))
def test_file_names_depend_on_no_order(names: list[str]) -> None:
    assert file_names(names) == file_names(reversed(names))


@given(st.lists(ODD, unique=True, max_size=8))
def test_lasting_names_are_different_though_each_is_made_alone(names: list[str]) -> None:
    made = [lasting_name(name) for name in names]
    assert len(set(made)) == len(names)
    assert all(inside(Path("out"), name).parent == Path("out") for name in made)


def test_names_whose_accents_are_encoded_differently_count_as_equal() -> None:
    names = [unicodedata.normalize(form, "é") for form in ("NFC", "NFD")]
    assert len({seen(name) for name in file_names(names).values()}) == 2


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../a", "/etc", "a\\b", "a\0", "a\nb"])
def test_a_name_that_is_not_one_part_of_a_path_is_refused(name: str) -> None:
    with pytest.raises(OutputError, match="it is not the name of a file or folder; rename"):
        inside(Path("out"), "fine", name)
