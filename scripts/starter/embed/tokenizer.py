"""The tokenizer of both models, lower-case WordPiece: python tokenizer.py WORK --words FILE

A list of English words is counted in, so that everyday words that documentation does not use are whole pieces too.
"""

import argparse
import json
import os

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from pairs import GENERATED_KINDS, Pair

VOCABULARY = 16000
SPECIAL_TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PADDING, UNKNOWN, BEGINNING, SEPARATOR = range(4)
REPEATED_WORD_LIST = 6


def read_pairs(path):
    with open(path) as lines:
        for line in lines:
            yield Pair(*json.loads(line))


def texts(work, word_list):
    with open(os.path.join(work, "passages.txt")) as lines:
        yield from lines
    for pair in read_pairs(os.path.join(work, "pairs.jsonl")):
        if pair.kind in GENERATED_KINDS:
            yield pair.query
            yield pair.passage
    with open(word_list) as file:
        words = file.read().replace("'s", "")
    for _ in range(REPEATED_WORD_LIST):
        yield words


def train(work, word_list):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=VOCABULARY,
        special_tokens=SPECIAL_TOKENS,
        limit_alphabet=200,
        min_frequency=3,
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts(work, word_list), trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", BEGINNING), ("[SEP]", SEPARATOR)],
    )
    tokenizer.save(os.path.join(work, "tokenizer.json"), pretty=False)


def load(work):
    return Tokenizer.from_file(os.path.join(work, "tokenizer.json"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("work")
    parser.add_argument("--words", required=True, help="English words, one a line (package wamerican-small)")
    arguments = parser.parse_args()
    train(arguments.work, arguments.words)
