"""The tokenizer: byte-level BPE over 2048 entries, trained on our own conversations.

    python tokenizer.py tokenizer.json

A small vocabulary keeps the embedding (a sixth of the model) small. The pre-tokenizer is the one
llama.cpp calls "qwen2"; it splits digits one by one.
"""

import os
import sys

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from conversation import conversation
from rendering import render
from values import rng
from vision.captions import VOCABULARY as CAPTION_WORDS

# The vision and image tokens frame and fill the captions of pictures.
CONTROL_TOKENS = [
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
]
# Single tokens that stay visible as text, so that a server can parse them.
MARKUP_TOKENS = ["<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"]
SPECIAL_TOKENS = CONTROL_TOKENS + MARKUP_TOKENS
VOCABULARY = 2048
ORDINARY = VOCABULARY - len(SPECIAL_TOKENS)
PADDING = ORDINARY  # <|endoftext|>, the first special token

SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# Keeps plain ASCII, typography and some accented letters readable.
ALPHABET = ["".join(map(chr, range(32, 127))), "é è ê ë à â ä ö ü ß ç ñ ô î ï ù û á í ó ú å ø æ – — … € £ “ ” ’"]


def train(path, conversations=12000, seed=7):
    rng.seed(seed)
    texts = ALPHABET * 50 + CAPTION_WORDS * 500
    for _ in range(conversations):
        for text, _ in render(conversation()):
            for token in (*SPECIAL_TOKENS, "\x1f"):
                text = text.replace(token, "\n")
            texts.append(text)
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(SPLIT), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=ORDINARY, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL_TOKENS])
    assert tokenizer.get_vocab_size() == VOCABULARY and tokenizer.token_to_id("<|endoftext|>") == PADDING
    assert all(len(tokenizer.encode(entry).ids) == 1 for entry in CAPTION_WORDS)
    tokenizer.save(path)


def load(path):
    return Tokenizer.from_file(path)


if __name__ == "__main__":
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    train(sys.argv[1])
