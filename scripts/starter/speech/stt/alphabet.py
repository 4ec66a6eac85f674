"""What the transcription model writes: letters, and a mark at the beginning of each word."""

BLANK, WORD = 0, 1
TOKENS = ["<blk>", "▁", *"abcdefghijklmnopqrstuvwxyz", "'"]
_IDS = {token: number for number, token in enumerate(TOKENS)}


def encode(text):
    """Text in lower case, of letters, apostrophes and spaces -> ids"""
    return [_IDS["▁" if letter == " " else letter] for letter in f" {text}"] if text else []


def decode(ids):
    """The best id of each frame -> text"""
    kept = [now for before, now in zip([BLANK, *ids], ids) if now != BLANK and now != before]
    return "".join(TOKENS[token] for token in kept).replace("▁", " ").strip()
