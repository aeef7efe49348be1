"""Where a model is: folders, GGUF files, checkpoints, the Hub and its cache."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from priscian.errors import ModelError
from priscian.models import ModelSpec, expand_revisions, model_key
from priscian.models.hf.locate import Location, locate, locate_tokenizer

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def checkpoint(folder: Path, weights: bytes = b"w") -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(weights)
    return folder


class TestFolders:
    def test_a_path_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match=r"no file or folder .*/none; give a path that exists"):
            locate(ModelSpec("hf", str(tmp_path / "none")))

    def test_a_folder_without_weights(self, tmp_path: Path) -> None:
        (tmp_path / "config.json").write_text("{}")
        with pytest.raises(ModelError, match=r"config.json but no weights"):
            locate(ModelSpec("hf", str(tmp_path)))

    def test_a_folder_that_is_no_model(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match=r"neither config.json nor a .gguf file"):
            locate(ModelSpec("hf", str(tmp_path)))

    def test_a_file_that_is_no_model(self, tmp_path: Path) -> None:
        (tmp_path / "model.txt").write_text("hello")
        with pytest.raises(ModelError, match=r"not a model: give a folder with config.json"):
            locate(ModelSpec("hf", str(tmp_path / "model.txt")))

    def test_one_gguf_is_found_and_two_must_be_told_apart(self, tmp_path: Path) -> None:
        (tmp_path / "a.gguf").write_bytes(b"a")
        assert locate(ModelSpec("hf", str(tmp_path))) == Location(str(tmp_path), gguf="a.gguf")
        (tmp_path / "b.gguf").write_bytes(b"b")
        with pytest.raises(ModelError, match=r"2 GGUF files; name one of them, .* hf:.*/a\.gguf"):
            locate(ModelSpec("hf", str(tmp_path)))
        named = ModelSpec("hf", str(tmp_path), "", {"gguf": "b.gguf"})
        assert locate(named) == Location(str(tmp_path), gguf="b.gguf")
        assert locate(ModelSpec("hf", str(tmp_path / "b.gguf"))) == locate(named)
        with pytest.raises(ModelError, match=r"no GGUF file 'c.gguf'"):
            locate(ModelSpec("hf", str(tmp_path), "", {"gguf": "c.gguf"}))

    def test_two_gguf_files_of_one_folder_have_two_keys(self, tmp_path: Path) -> None:
        (tmp_path / "a.gguf").write_bytes(b"a")
        (tmp_path / "b.gguf").write_bytes(b"b")
        keys = {model_key(f"hf:{tmp_path}/{name}.gguf").digest for name in "ab"}
        assert len(keys) == 2

    def test_a_tokenizer_elsewhere_is_not_looked_for_in_the_models_gguf(
        self, tmp_path: Path
    ) -> None:
        model = Location(str(tmp_path), gguf="a.gguf")
        spec = ModelSpec("hf", str(tmp_path), "", {"tokenizer": str(tmp_path)})
        assert locate_tokenizer(spec, model) == Location(str(tmp_path))
        assert locate_tokenizer(ModelSpec("hf", str(tmp_path)), model) == model


class TestCheckpoints:
    def test_they_come_in_natural_order(self, tmp_path: Path) -> None:
        for name in ("step10", "step2", "step1", "final"):
            checkpoint(tmp_path / name, name.encode())
        (tmp_path / "step3").mkdir()  # no model in it
        found = expand_revisions(f"hf:{tmp_path}?bos=none", "step*")
        assert [s.revision for s in found] == ["step1", "step2", "step10"]
        assert all(s.options == {"bos": "none"} for s in found)
        assert len({model_key(s).digest for s in found}) == 3
        assert locate(found[0]) == Location(str(tmp_path / "step1"))
        assert ModelSpec.parse(str(found[0])) == found[0]

    def test_a_pattern_that_matches_nothing(self, tmp_path: Path) -> None:
        checkpoint(tmp_path / "step1")
        with pytest.raises(ModelError, match=r"no revision .*'epoch\*'; it has step1$"):
            expand_revisions(f"hf:{tmp_path}", "epoch*")

    def test_a_folder_that_has_none_at_all(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match=r"it has none: leave `revisions=` out"):
            expand_revisions(f"hf:{tmp_path}", "step*")
        assert expand_revisions("builtin:lstm", "l*") == [ModelSpec("builtin", "lstm")]
        with pytest.raises(ModelError, match=r"'step\*'; it has ngram, lstm$"):
            expand_revisions("builtin:lstm", "step*")

    def test_a_checkpoint_that_is_not_there(self, tmp_path: Path) -> None:
        checkpoint(tmp_path / "step1")
        with pytest.raises(ModelError, match=r"no checkpoint folder 'step9'; it has step1$"):
            locate(ModelSpec.parse(f"hf:{tmp_path}@step9"))


class FakeHub:
    """Stands for `huggingface_hub`: one repository, or a failure."""

    def __init__(self, cache: Path, *, offline: bool = False, error: Exception | None = None):
        import huggingface_hub.errors

        self.constants = SimpleNamespace(HF_HUB_OFFLINE=offline, HF_HUB_CACHE=str(cache))
        self.errors = huggingface_hub.errors
        self.error = error
        self.asked: list[str] = []

    def HfApi(self) -> FakeHub:  # noqa: N802 - as the real one
        return self

    def model_info(self, repository: str, revision: str, timeout: float) -> SimpleNamespace:
        self.asked.append(f"{repository}@{revision}")
        if self.error:
            raise self.error
        return SimpleNamespace(sha=COMMIT)

    def list_repo_refs(self, repository: str) -> SimpleNamespace:
        if self.error:
            raise self.error
        named = [SimpleNamespace(name=n) for n in ("main", "step10", "step9")]
        return SimpleNamespace(branches=named, tags=[SimpleNamespace(name="step1")])


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`hub(offline=True)` puts a stand-in in the place of the Hub."""

    def make(**facts: Any) -> FakeHub:
        fake = FakeHub(tmp_path / "hub", **facts)
        monkeypatch.setattr("priscian.models.hf.locate.import_hub", lambda: fake)
        return fake

    return make


def cached(tmp_path: Path, repository: str, revision: str, commit: str, whole: bool = True) -> None:
    folder = tmp_path / "hub" / f"models--{repository.replace('/', '--')}"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / revision).write_text(commit)
    if whole:
        (folder / "snapshots" / commit).mkdir(parents=True)


class TestHub:
    def test_a_revision_is_resolved_to_a_commit(self, hub: Any) -> None:
        fake = hub()
        assert locate(ModelSpec.parse("hf:org/model@v1")) == Location("org/model", COMMIT)
        assert model_key("hf:org/model@v1") == model_key(f"hf:org/model@{COMMIT}")
        assert model_key("hf:org/model@v1").fields["commit"] == COMMIT
        assert fake.asked[0] == "org/model@v1"

    def test_offline_the_cache_knows_the_commit(self, hub: Any, tmp_path: Path) -> None:
        fake = hub(offline=True)
        cached(tmp_path, "org/model", "main", COMMIT)
        assert locate(ModelSpec("hf", "org/model")) == Location("org/model", COMMIT)
        assert fake.asked == []

    def test_offline_and_not_cached_says_how_to_use_a_folder(
        self, hub: Any, tmp_path: Path
    ) -> None:
        hub(offline=True)
        with pytest.raises(ModelError, match=r"HF_HUB_OFFLINE.*local folder instead: hf:PATH"):
            locate(ModelSpec("hf", "org/model"))
        cached(tmp_path, "org/half", "main", COMMIT, whole=False)
        with pytest.raises(ModelError, match=r"org/half@main is not in the local Hub cache"):
            locate(ModelSpec("hf", "org/half"))
        reference = tmp_path / "hub" / "models--org--half" / "refs" / "main"
        reference.write_bytes(b"\xff\xfe")
        with pytest.raises(ModelError, match=r"org/half@main is not in the local Hub cache"):
            locate(ModelSpec("hf", "org/half"))

    def test_no_network_says_how_to_use_a_folder(self, hub: Any, tmp_path: Path) -> None:
        hub(error=ConnectionError("no route"))
        with pytest.raises(ModelError, match=r"cannot reach the Hub .*give its folder \(hf:PATH\)"):
            locate(ModelSpec("hf", "gpt2"))
        with pytest.raises(ModelError, match=r"cannot reach the Hub"):
            expand_revisions("hf:gpt2", "step*")
        cached(tmp_path, "gpt2", "main", COMMIT)
        assert locate(ModelSpec("hf", "gpt2")).commit == COMMIT

    def test_an_unknown_revision_is_answered_with_the_known_ones(
        self, hub: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from huggingface_hub.errors import RevisionNotFoundError

        fake = hub()
        error = RevisionNotFoundError.__new__(RevisionNotFoundError, "not found")
        monkeypatch.setattr(fake, "model_info", lambda *_, **__: (_ for _ in ()).throw(error))
        with pytest.raises(ModelError, match=r"'v9'; it has main, step1, step9, step10$"):
            locate(ModelSpec.parse("hf:org/model@v9"))

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("RepositoryNotFoundError", "no model 'org/model' on the Hub, and no such folder"),
            ("RevisionNotFoundError", "org/model has no revision 'v9'"),
            ("GatedRepoError", "gated; accept its terms"),
        ],
    )
    def test_an_unknown_model_or_revision_is_said_plainly(
        self, hub: Any, name: str, message: str
    ) -> None:
        import huggingface_hub.errors

        kind = getattr(huggingface_hub.errors, name)
        hub(error=kind.__new__(kind, "not found"))  # its constructor wants a real answer
        with pytest.raises(ModelError, match=message):
            locate(ModelSpec.parse("hf:org/model@v9"))

    def test_branches_and_tags_are_swept_in_natural_order(self, hub: Any) -> None:
        hub()
        found = expand_revisions("hf:org/model", "step*")
        assert [s.revision for s in found] == ["step1", "step9", "step10"]

    def test_the_real_library_offline(self, monkeypatch: pytest.MonkeyPatch) -> None:
        import huggingface_hub.constants

        monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
        with pytest.raises(ModelError, match=r"priscian-test/none@main is not in the local Hub"):
            locate(ModelSpec("hf", "priscian-test/none"))
