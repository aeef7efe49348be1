"""N-gram models: tries, files, ARPA, tokenisation."""

from priscian.models.ngram.model import NgramModel, NgramProvider, differ_in_oov, load_ngram
from priscian.models.ngram.trie import Level, Trie
from priscian.models.vocabulary.tokenise import Tokenisation, WordSplitter

__all__ = [
    "Level",
    "NgramModel",
    "NgramProvider",
    "Tokenisation",
    "Trie",
    "WordSplitter",
    "differ_in_oov",
    "load_ngram",
]
