"""What is read of a model and what is hashed, by tracing the files that a process opens.

Audit hooks would miss the files that Rust or C opens; strace sees them all.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fuzz import folder_samples, model_samples
from tests.models.test_packaged import write_gguf
from tests.training.classifiers.toy_cola import write_cola

from priscian.cli import main
from priscian.models import open_model

OPENED = re.compile(r'open(?:at)?\([^"]*"([^"]+)"')
UNHASHED = {
    "card.json": "whether it was trained on single sentences, which changes how texts are cut",
    "classifier.json": "what it says that changes a score is in the key, field by field",
    "generation_config.json": "how text is sampled",
    "chat_template.jinja": "how turns of a dialogue are written",
}
"""Files that are read and not hashed, since no score of a text depends on them."""

PAIR = ("The dog barks.", "The dog bark.")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("strace"), reason="needs strace: apt install strace"),
]

Make = Callable[[Path], str]


def opened(model: str, folder: Path, trace: Path) -> set[str]:
    """Names of the files in a folder that are opened when a text is scored."""
    command = [sys.executable, "-m", "priscian", "score", model, "--on", f"pairs:{trace}.csv"]
    Path(f"{trace}.csv").write_text(f"good,bad\n{','.join(PAIR)}\n")
    subprocess.run(
        ["strace", "-f", "-qq", "-e", "trace=open,openat", "-o", trace, *command],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )
    paths = (Path(found) for found in OPENED.findall(trace.read_text("utf-8", "replace")))
    return {p.name for p in paths if p.is_file() and p.resolve().is_relative_to(folder.resolve())}


def train(*words: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["train", *words, "--quiet"])
    assert ended.value.code == 0


def gguf(folder: Path) -> str:
    write_gguf(folder / "m.gguf")
    return f"hf:{folder}/m.gguf?bos=<s>"


def gguf_with_tokenizer(folder: Path) -> str:
    from transformers import AutoTokenizer

    write_gguf(folder / "m.gguf")
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file="m.gguf")
    tokenizer.save_pretrained(folder)
    return f"hf:{folder}/m.gguf?bos=<s>"


def lstm(folder: Path) -> str:
    folder_samples.model(folder)
    return f"lstm:{folder}"


def transformer_xl(folder: Path) -> str:
    text = folder.parent / "text.txt"
    text.write_text("the dog sees a cat and the cat sees a dog\n" * 400)
    train("transformer-xl", "tiny", "--corpus", str(text), "--out", str(folder / "m"),
          "--tokens", "200")  # fmt: skip
    return f"txl:{folder}/m"


def rnng(folder: Path) -> str:
    trees = folder.parent / "trees.txt"
    trees.write_text("(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat))))\n" * 400)
    train("rnng", "tiny", "--corpus", str(trees), "--out", str(folder / "m"), "--tokens", "200")
    return f"rnng:{folder}/m"


def arpa(folder: Path) -> str:
    (folder / "m.arpa").write_text(model_samples.arpa())
    return f"ngram:{folder}/m.arpa"


def pngm(folder: Path) -> str:
    model_samples.pngm(folder)
    return f"ngram:{next(folder.glob('*.pngm'))}"


def plstm(folder: Path) -> str:
    model_samples.plstm(folder)
    return f"lstm:{next(folder.glob('*.plstm'))}"


def surprisals(folder: Path) -> str:
    rows = [(text, word) for text in PAIR for word in text.split()]
    table = "".join(f"{text}\t{word}\t{len(word)}\n" for text, word in rows)
    (folder / "t.tsv").write_text(f"sentence\ttoken\tsurprisal\n{table}")
    return f"surprisals:{folder}/t.tsv"


@pytest.mark.parametrize(
    "make", [gguf, gguf_with_tokenizer, lstm, transformer_xl, rnng, arpa, pngm, plstm, surprisals]
)
def test_what_is_read_is_hashed(make: Make, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    compare(make(folder), folder, tmp_path)


@pytest.mark.parametrize("provider", ["hf", "mlm"])
def test_what_is_read_of_a_folder_of_transformers_is_hashed(
    provider: str, causal: Callable[..., Path], masked: Callable[..., Path], tmp_path: Path
) -> None:
    made = causal("gpt2") if provider == "hf" else masked()
    folder = Path(shutil.copytree(made, tmp_path / "folder"))
    compare(f"{provider}:{folder}", folder, tmp_path)


def test_what_is_read_of_a_classifier_is_hashed(
    masked: Callable[..., Path], tmp_path: Path
) -> None:
    cola = write_cola(tmp_path / "cola")
    folder = tmp_path / "folder"
    train("classifier", "--encoder", f"mlm:{masked()}", "--on", f"cola:{cola}", "--method",
          "probe", "--restarts", "1", "--out", str(folder / "c"))  # fmt: skip
    compare(f"classifier:{folder}/c", folder, tmp_path)


def compare(model: str, folder: Path, tmp_path: Path) -> None:
    """Every file that is read is hashed, or known not to matter."""
    hashed = {path.name for path in open_model(model).files}
    read = opened(model, folder, tmp_path / "trace")
    print(f"{model}: read {sorted(read)}, hashed {sorted(hashed)}")
    assert read & hashed, "nothing was traced"
    assert read - hashed <= UNHASHED.keys()
