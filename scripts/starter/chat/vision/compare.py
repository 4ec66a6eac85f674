"""The same answers from PyTorch and from a server? python -m vision.compare BASE_URL [PICTURES]

The server has the exported files; answers are compared word for word at temperature 0. Q8_0 rounds the language
model's weights, so an answer may differ where two tokens are nearly as likely.
"""

import base64
import io
import json
import os
import sys
import urllib.request
from pathlib import Path

import torch
from PIL import Image

from model import LanguageModel
from tokenizer import load
from vision.drawing import prepared
from vision.model import VisionModel
from vision.train import WORK

HELD_OUT = Path(__file__).parents[3] / "eval/vision/held-out.jsonl"
LIMIT = 80


def loaded(path, kind):
    saved = torch.load(os.path.join(WORK, path), map_location="cpu")
    model = kind(saved["config"])
    model.load_state_dict(saved["model"])
    return model.eval()


@torch.no_grad()
def answered(language, vision, tokenizer, picture, question):
    """The greedy answer with an empty think block, as the chat template writes it."""
    image = Image.open(io.BytesIO(base64.b64decode(picture.split(",")[1]))).convert("RGB")
    encoded = lambda text: tokenizer.encode(text, add_special_tokens=False).ids
    before, fill = encoded("<|im_start|>user\n"), tokenizer.token_to_id("<|image_pad|>")
    after = encoded(f"{question}<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n")
    embeddings = vision(torch.from_numpy(prepared(image)[0].copy())[None])[0]
    ids = [*before, *[fill] * len(embeddings), *after]
    start, end = len(ids), tokenizer.token_to_id("<|im_end|>")
    while len(ids) < start + LIMIT:
        places = torch.zeros(1, len(ids), dtype=torch.bool)
        places[0, len(before) : len(before) + len(embeddings)] = True
        state = language.hidden(torch.tensor([ids]), places, embeddings)[0, -1]
        ids.append(int((language.embedding.weight @ state).argmax()))
        if ids[-1] == end:
            break
    return tokenizer.decode(ids[start:], skip_special_tokens=True).strip()


def served(url, picture, question):
    content = [{"type": "image_url", "image_url": {"url": picture}}, {"type": "text", "text": question}]
    body = dict(model="starter", temperature=0, max_tokens=LIMIT, messages=[dict(role="user", content=content)])
    body["chat_template_kwargs"] = {"enable_thinking": False}
    request = urllib.request.Request(f"{url}/chat/completions", json.dumps(body).encode())
    request.add_header("content-type", "application/json")
    with urllib.request.urlopen(request) as response:
        return json.load(response)["choices"][0]["message"]["content"].strip()


def main(url, count):
    torch.set_num_threads(1)
    language = loaded("second.pt", LanguageModel)
    vision = loaded("vision-aligned.pt", VisionModel)
    tokenizer = load(os.path.join(WORK, "tokenizer.json"))
    same = 0
    for line in HELD_OUT.read_text().splitlines()[:count]:
        row = json.loads(line)
        asked = row["questions"][0]
        ours = answered(language, vision, tokenizer, row["picture"], asked["question"])
        theirs = served(url, row["picture"], asked["question"])
        same += ours == theirs
        if ours != theirs:
            print(f"{asked['question']}\n  PyTorch: {ours}\n  server:  {theirs}")
    print(f"{same} of {count} answers are the same")


if __name__ == "__main__":
    main(sys.argv[1], int((sys.argv[2:] or ["50"])[0]))
