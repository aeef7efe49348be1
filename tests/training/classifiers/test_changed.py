"""What a classifier is trained on may change, or belong to another training: never mixed."""

from __future__ import annotations

import itertools
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.swapped_files import swap_at_random, swap_everywhere
from tests.training.classifiers.toy_cola import FILES, write_cola

from priscian.cli.app import run
from priscian.errors import BusyError, DataError, ModelError, PriscianError, RunError
from priscian.files.folder import lock_file
from priscian.models.classifier import encoder as encoders
from priscian.models.classifier.encoder import View, load_encoder
from priscian.models.classifier.folder import ClassifierCard, read_card
from priscian.models.classifier.states import StateCache, pooled_states
from priscian.training.classifiers import fits
from priscian.training.classifiers.data import read_cola_data
from priscian.training.classifiers.job import read_logits, train_classifier
from priscian.training.classifiers.probe import FILE as VIEWS
from priscian.training.classifiers.settings import ClassifierSettings


@pytest.fixture
def cola(tmp_path: Path) -> Path:
    return write_cola(tmp_path / "cola")


def train(cola: Path, out: Path, resume: bool = False, **settings: object) -> ClassifierCard:
    made = ClassifierSettings(**settings)  # type: ignore[arg-type]
    return train_classifier(f"cola:{cola}", out, made, resume=resume)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


MLP = {"method": "mlp", "restarts": 2, "epochs": 1, "layer": 1, "pooling": "mean"}


class TestTwoProcesses:
    def test_a_second_one_is_refused_while_the_first_one_trains(
        self,
        cola: Path,
        tmp_path: Path,
        masked: Callable[..., Path],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """It comes when the first has no complete restart yet, and asks for another seed."""
        encoder, out, fit = str(masked()), tmp_path / "m", fits._tuned
        settings = {"method": "finetune", "encoder": encoder, "restarts": 2, "epochs": 1}
        told: list[str] = []

        def both(*given: object) -> fits.Fitted:
            if not told:
                told.append("")
                before = contents(out)
                for resume in (False, True):
                    with pytest.raises(BusyError, match=r"another training is writing to .*; wait"):
                        train(cola, out, resume, **(settings | {"seed": 100}))
                assert contents(out) == before
            return fit(*given)  # type: ignore[arg-type]

        monkeypatch.setattr(fits, "_tuned", both)
        card = train(cola, out, **settings)
        assert told
        assert (card.seed, [r.seed for r in card.restarts]) == (1, [1, 2])

    def test_a_folder_that_another_process_holds_is_left_alone(
        self, cola: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "m"
        lock = lock_file(out / "lock", "")
        given = ["--method", "majority", "--on", f"cola:{cola}", "--out", str(out)]
        try:
            assert run(["train", "classifier", *given]) == 1
        finally:
            lock.release()
        assert "another training is writing to" in capsys.readouterr().err
        assert list(contents(out)) == ["lock"]
        assert run(["train", "classifier", *given]) == 0  # the lock's file is not in the way

    def test_what_a_kill_left_of_the_first_card_is_not_in_the_way(
        self, cola: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "m").mkdir()
        (tmp_path / "m" / ".classifier.json.0a1b2c3d").write_text("{")
        assert train(cola, tmp_path / "m", method="majority").chosen == 1


class TestRestarts:
    def test_a_restart_with_another_seed_is_not_gone_on_with(
        self, cola: Path, tmp_path: Path, masked: Callable[..., Path]
    ) -> None:
        encoder = str(masked())
        own, foreign = tmp_path / "own", tmp_path / "foreign"
        train(cola, own, encoder=encoder, **MLP)
        train(cola, foreign, encoder=encoder, **(MLP | {"seed": 100}))
        whole = read_logits(own, read_card(own).restarts[1])
        shutil.rmtree(own / "restart-2")
        shutil.copytree(foreign / "restart-2", own / "restart-2")
        told = r"restart-2/restart\.json is restart 2 with seed 101, not 2 with seed 2; delete .*"
        with pytest.raises(RunError, match=f"{told}restart-2 to train it again with `resume=True`"):
            train(cola, own, True, encoder=encoder, **MLP)
        shutil.rmtree(own / "restart-2")
        card = train(cola, own, True, encoder=encoder, **MLP)
        assert [r.seed for r in card.restarts] == [1, 2]
        assert read_logits(own, card.restarts[1]) == whole

    def test_a_restart_with_other_settings_is_not_gone_on_with(
        self, cola: Path, tmp_path: Path, masked: Callable[..., Path]
    ) -> None:
        encoder = str(masked())
        own, foreign = tmp_path / "own", tmp_path / "foreign"
        train(cola, own, encoder=encoder, **MLP)
        train(cola, foreign, encoder=encoder, **(MLP | {"epochs": 3}))
        shutil.rmtree(own / "restart-1")
        shutil.copytree(foreign / "restart-1", own / "restart-1")
        with pytest.raises(RunError, match=r"was trained with other data or settings; delete"):
            train(cola, own, True, encoder=encoder, **MLP)

    def test_a_view_of_another_training_is_not_gone_on_with(
        self, cola: Path, tmp_path: Path, masked: Callable[..., Path]
    ) -> None:
        encoder = str(masked())
        own, foreign = tmp_path / "own", tmp_path / "foreign"
        train(cola, own, encoder=encoder, **MLP)
        train(cola, foreign, encoder=encoder, **(MLP | {"layer": 2}))
        shutil.copy(foreign / "views.json", own / "views.json")
        shutil.rmtree(own / "restart-2")
        with pytest.raises(DataError, match=r"views\.json .*of another training\); delete it"):
            train(cola, own, True, encoder=encoder, **MLP)

    def test_restarts_of_an_older_version_are_kept(
        self, cola: Path, tmp_path: Path, masked: Callable[..., Path]
    ) -> None:
        encoder, out = str(masked()), tmp_path / "m"
        train(cola, out, encoder=encoder, **MLP)
        card = json.loads((out / "classifier.json").read_text())
        written = {p: json.loads(p.read_text()) for p in (*out.glob("*/restart.json"), out / VIEWS)}
        for facts in (*card["restarts"], *written.values()):
            del facts["job"], facts["digest"]
        for path, facts in [*written.items(), (out / "classifier.json", card)]:
            path.write_text(json.dumps(facts))
        heads = [p.read_bytes() for p in sorted(out.glob("*/head.safetensors"))]
        shutil.rmtree(out / "restart-2")
        made = train(cola, out, True, encoder=encoder, **MLP)
        assert [bool(r.job) for r in made.restarts] == [False, True]
        assert [p.read_bytes() for p in sorted(out.glob("*/head.safetensors"))] == heads

    @pytest.mark.parametrize("name", ["restart.json", "classifier.json"])
    def test_a_field_that_has_changed_is_one_line(
        self, name: str, cola: Path, tmp_path: Path
    ) -> None:
        train(cola, tmp_path / "m", method="ngrams")
        file = next((tmp_path / "m").rglob(name))
        whole = file.read_text()
        for changed in (
            re.sub(r'("in-domain dev": )[-\d][^,]*', r"\g<1>0.5", whole),
            re.sub(r'"in-domain dev": [-\d][^,]*,', "", whole),
            re.sub(r'"mcc": \{[^}]*\}', '"mcc": {}', whole),
            whole.replace('"seed": 1', '"seed": 2'),
        ):
            assert changed != whole
            file.write_text(changed)
            with pytest.raises(
                PriscianError, match=rf"{name}: .*(--resume|`resume=True`)|other settings"
            ):
                train(cola, tmp_path / "m", True, method="ngrams")

    def test_a_restart_that_is_listed_but_was_not_asked_for_is_not_chosen(
        self, cola: Path, tmp_path: Path
    ) -> None:
        train(cola, tmp_path / "m", method="ngrams")
        file = tmp_path / "m" / "classifier.json"
        card = json.loads(file.read_text())
        other = card["restarts"][0] | {"number": 7, "mcc": dict.fromkeys(card["tested"], 1.0)}
        del other["digest"], other["job"]
        file.write_text(json.dumps(card | {"restarts": [*card["restarts"], other]}))
        made = train(cola, tmp_path / "m", True, method="ngrams")
        assert (made.chosen, [r.number for r in made.restarts]) == (1, [1])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("cola_in_domain_train.csv", (b"Ann", b"Zoe")),
        ("cola_out_of_domain_test.csv", (b",1,,", b",0,,")),
        (FILES["major"], (b"Cleo", b"Zara")),
    ],
)
def test_a_file_of_cola_that_is_swapped_gives_one_version_or_an_error(
    name: str, words: tuple[bytes, bytes], cola: Path
) -> None:
    path = cola / name

    def make() -> tuple[str, dict[str, str]]:
        data = read_cola_data(cola)
        return data.digest, data.tested

    outcomes, opened = swap_everywhere(path, path.read_bytes().replace(*words), make)
    assert opened == 1
    assert "refused" in outcomes


class TestEncoders:
    @pytest.fixture
    def encoder(self, tmp_path: Path, masked: Callable[..., Path]) -> Path:
        return Path(shutil.copytree(masked(), tmp_path / "encoder"))

    @staticmethod
    def swap(encoder: Path) -> None:
        """Other weights, of the same size, in place of those that are there."""
        path = encoder / "model.safetensors"
        data = bytearray(path.read_bytes())
        data[-400:] = bytes(400)
        new = path.with_name("new")
        new.write_bytes(data)
        new.replace(path)

    def test_weights_that_are_replaced_while_they_are_loaded_are_noticed(
        self, encoder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        load = encoders.load_weights

        def loading(*given: object) -> object:
            self.swap(encoder)
            return load(*given)  # type: ignore[arg-type]

        monkeypatch.setattr(encoders, "load_weights", loading)
        with pytest.raises(
            ModelError, match=r"changed while it was being loaded.*run the same command"
        ):
            load_encoder(str(encoder))

    def test_states_are_kept_under_the_key_of_the_weights_that_made_them(
        self, encoder: Path
    ) -> None:
        made = load_encoder(str(encoder))
        pooled_states(made, ["Go."], [View(1, "mean")])
        self.swap(encoder)
        with pytest.raises(ModelError, match="has changed since"):
            pooled_states(made, ["Stay."], [View(1, "mean")])
        assert [path.name for path in StateCache().folder.iterdir()] == [made.key.digest]
        pooled_states(made, ["Go."], [View(1, "mean")])  # kept

    @pytest.mark.parametrize("method", ["mlp", "finetune"])
    def test_weights_that_are_replaced_between_two_restarts_are_noticed(
        self, method: str, encoder: Path, cola: Path, tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:  # fmt: skip
        name = "_on_states" if method == "mlp" else "_tuned"
        fit, done = getattr(fits, name), []

        def swapped(*given: object) -> fits.Fitted:
            if done:
                self.swap(encoder)
            done.append(1)
            return fit(*given)  # type: ignore[no-any-return]

        monkeypatch.setattr(fits, name, swapped)
        more = {} if method == "mlp" else {"layer": None, "pooling": ""}
        settings = MLP | more | {"method": method, "encoder": str(encoder)}
        with pytest.raises(ModelError, match="is not the one that the classifier was trained on"):
            train(cola, tmp_path / "m", **settings)
        assert [r.number for r in read_card(tmp_path / "m").restarts] == [1]

    def test_a_tokenizer_that_is_named_is_part_of_the_key(
        self, encoder: Path, tmp_path: Path
    ) -> None:
        words = Path(shutil.copytree(encoder, tmp_path / "words"))
        spec = encoders.encoder_spec(f"mlm:{encoder}?tokenizer={words}")
        before = encoders.encoder_key(spec)
        file = next(path for path in words.glob("*tokenizer*.json"))
        file.write_text(file.read_text() + "\n")
        assert encoders.encoder_key(spec) != before


@pytest.mark.parametrize("method", ["probe", "ngrams"])
def test_one_label_too_rare_for_cross_validation_names_file_and_remedy(
    method: str, cola: Path, tmp_path: Path, masked: Callable[..., Path]
) -> None:
    file = cola / "cola_in_domain_train.csv"
    header, *rows = file.read_text().splitlines()
    bad = [row for row in rows if ",0,," in row]
    kept = [row for row in rows if row not in bad[1:]]
    file.write_text("\n".join([header, *kept, ""]))
    encoder = {"encoder": str(masked())} if method == "probe" else {}
    with pytest.raises(
        DataError,
        match=r"cola_in_domain_train\.csv: in-domain train: only 1 of \d+ sentences is "
        r"unacceptable; cross-validation needs 2; add unacceptable sentences",
    ):
        train(cola, tmp_path / "m", method=method, **encoder)
    assert not (tmp_path / "m").exists()
    file.write_text("\n".join([header, *kept, bad[1], ""]))  # two are enough
    train(cola, tmp_path / "m", method=method, **encoder)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "words"),
    [("cola_in_domain_train.csv", (b"Ann", b"Zoe")), (FILES["major"], (b"Cleo", b"Zara"))],
)
def test_cola_that_is_swapped_at_200_random_moments_never_gives_a_mixed_card(
    name: str, words: tuple[bytes, bytes], cola: Path, tmp_path: Path
) -> None:
    path, number = cola / name, itertools.count()

    def make() -> tuple[str, str]:
        out = tmp_path / f"model{next(number)}"
        card = train(cola, out, method="ngrams")
        made = [read_logits(out, card.restarts[0]), (out / "trained_on.json").read_text()]
        shutil.rmtree(out)
        return f"{card.data_digest} {card.tested}", repr(made)

    found = swap_at_random(path, path.read_bytes().replace(*words), make, 200)
    print(dict(found))
    assert found["made"]
