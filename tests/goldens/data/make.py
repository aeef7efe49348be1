"""Make what is too long to write by hand, what no text file holds, and files that are broken."""

import json
import lzma
import random
import string
from pathlib import Path

import polars
import torch
import transformers
from tests.models.convert.stand_ins import save_module, save_words, save_xl, xl_arrays
from tests.small_suites import choice, garden, save
from tests.sweeps.conftest import write_corpus
from tests.training.classifiers.toy_cola import write_cola
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

HERE = Path()
SUITES = ("number_src", "npz_obj", "npz_obj_mod", "mvrr", "mvrr_mod", "fgd_object", "cleft")
MODELS = (
    *(f"{kind}_{corpus}_1" for kind in ("vanilla", "rnng") for corpus in ("bllip-xs", "bllip-md")),
    "gpt-2__0",
)
ODD = (
    ("A apple fell", "A apple fall."),
    ("A apple fell", "A apple fall."),
    ("It it sank.", "It sank"),
)
GOOD = '{"sentence_good": "Go now.", "sentence_bad": "Now the go."}\n'
GRADED = "id,sentence,rating,phenomenon,lexicalisation,acceptable\n"
SWEEP = 'sizes = ["1k", "2k", "4k"]\n[corpus]\nfiles = ["../corpus/text.txt"]\n[models.5-gram]\n'
BROKEN: dict[str, str] = {
    "line.jsonl": GOOD + '{"sentence_good": "Go\n',
    "list.jsonl": GOOD + "[1, 2]\n",
    "key.jsonl": GOOD + '{"sentence_good": "Go."}\n',
    "empty-cell.jsonl": GOOD + '{"sentence_good": "Go.", "sentence_bad": " "}\n',
    "number.jsonl": GOOD + '{"sentence_good": "Go.", "sentence_bad": 3}\n',
    "empty.jsonl": "",
    "latin.csv": "good,bad\ncaf\udce9,cafe\n",
    "columns.csv": "a,b\nx,y\n",
    "uneven.csv": "good,bad\nGo.,Now,go\n",
    "ids.csv": "pairID,good,bad\n1,Go.,Going.\n1,Run.,Ran.\n",
    "prefix.csv": "good,bad,prefix\nThe owl hoots.,The owl hoot.,A owl\n",
    "not.parquet": "no parquet",
    "odd.csv": "\n".join(["good,bad", *map(",".join, ODD), ""]),
    "table.tsv": "sen\twrong_sen\tlang\nEine Eule.\t\tdeu\n",
    "formula.json": json.dumps(choice("formula", ("(9;%good%)<(2;%bad%)",))),
    "syntax.json": json.dumps(choice("syntax", ("(2;%good%)<<(2;%bad%)",))),
    "region.json": json.dumps(choice("region")).replace('_number": 2', '_number": 7', 1),
    "half.json": '{"meta": {',
    "no-rating.csv": GRADED + "a,Owls hoot.,high,x,1,1\n",
    "twice.csv": GRADED + "a,Owls hoot.,1,x,1,1\na,Owls hoots.,0,x,1,0\n",
    "scores.csv": "id,toy\nr1,-3\n",
    "cola/cola_out_of_domain_dev.csv": "label,sentence\n,Owls hoots.\n",
    "choices.csv": "set,item,rater,response\na,b,c,maybe\n",
    "reading.tsv": "sentence\ttoken\tsurprisal\nOwls hoot.\tOwls\thigh\n",
    "published.jsonl": '{"UID": "wh_island"}\n',
    "jspsych.json": '[{"rt": 3}]',
    "key.toml": 'architecture = "lstm"\n[network]\nhiden = 24\n',
    "value.toml": 'architecture = "lstm"\n[network]\nhidden = -1\n',
    "syntax.toml": "architecture = \n",
    "kind.toml": SWEEP.replace("5-gram", "5-grm"),
    "sizes.toml": SWEEP.replace("4k", "4x"),
    "files.toml": SWEEP.replace("text.txt", "none.txt"),
    "trees.txt": "(ROOT (S (NP (DT The) (NN owl)) (VP (VBZ hoots)) (. .))\n",
    "paradigm.py": "from priscian.grammar import nothing\n",
    "python.py": "def broken(:\n",
    "nothing.py": "x = 1\n",
    "arpa.arpa": "\\data\\\nngram 1=2\n\n\\1-grams:\n-1 <s>\n",
    "model.pngm": "no model",
    "vocab.txt": "the\ncat\n",
    "study/study.toml": 'name = "x"\ntask = "coice"\n',
    "perplexity.csv": "model,perplexity\nbuiltin:lstm,low\n",
    "sizes.csv": "model,tokens\nbuiltin:lstm,many\n",
    "run/run.json": '{"format": 99}\n',
}  # fmt: skip


def main() -> None:
    """Write all of them into the working folder."""
    polars.read_csv("pairs.csv").write_parquet("pairs.parquet")
    save(HERE / "suites", garden(), choice())
    (HERE / "corpus").mkdir()
    text = write_corpus(HERE / "corpus")
    Path(f"{text}.xz").write_bytes(lzma.compress(text.read_bytes()))
    write_cola(HERE / "cola", train=60, dev=20)
    write_results(HERE / "results")
    save_module(HERE / "rnn.pt", "LSTM", 10, 6, 6, 2, new=True)
    save_words(HERE / "vocab.txt")
    torch.save(xl_arrays(), save_xl(HERE / "xl", {}) / "pytorch_model.bin")
    build_bert(HERE / "bert")
    for name, text in BROKEN.items():
        path = HERE / "broken" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    torch.save({"weight": torch.zeros(2)}, HERE / "broken" / "weights.pt")


def build_bert(folder: Path) -> None:
    """A random BERT over letters, pieces and a few words."""
    transformers.utils.logging.disable_progress_bar()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = ["The", "Her", "the", "lamps", "uncle", "flick", "##er", "##ers", "whistle", "."]
    letters = string.ascii_letters
    known = dict.fromkeys([*special, *words, *letters, *(f"##{letter}" for letter in letters)])
    raw = Tokenizer(models.WordPiece({w: n for n, w in enumerate(known)}, unk_token="[UNK]"))
    raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    raw.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    named = dict(zip(names, special, strict=True))
    PreTrainedTokenizerFast(tokenizer_object=raw, **named).save_pretrained(folder)
    torch.manual_seed(7)
    small = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = BertConfig(vocab_size=len(known), intermediate_size=64, **small)
    network = BertForMaskedLM(config)
    for parameter in network.parameters():
        if parameter.dim() > 1:
            parameter.data.normal_(std=0.25)
    network.save_pretrained(folder)


def write_results(folder: Path) -> None:
    """Results of models on suites as Hu et al. (2020) released theirs, and perplexities."""
    draw = random.Random(5)
    folder.mkdir()
    perplexities = ["model,corpus,seed,test_ppl"]
    for name in MODELS:
        items = [(suite, item) for suite in SUITES for item in range(1, 7)]
        rows = [f"{name},{suite},{item},{draw.random() < 0.6}" for suite, item in items]
        (folder / f"{name}.csv").write_text("\n".join(["model,suite,item,correct", *rows, ""]))
        perplexities.append(",".join([*name.split("_"), str(round(draw.uniform(40, 300), 2))]))
    (folder / "perplexity.csv").write_text("\n".join([*perplexities, ""]))


if __name__ == "__main__":
    main()
