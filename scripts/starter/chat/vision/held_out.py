"""Held-out pictures with questions: python -m vision.held_out ../../eval/vision/held-out.jsonl

Words come from the list that training never draws, everything else from another seed. One line a
picture: the data: URL that a client would send, and questions with their answers.
"""

import base64
import io
import json
import sys
from collections import Counter

from values import rng, settings
from vision.drawing import draw
from vision.questions import SPLIT, questions
from vision.scenes import scene

KINDS = {"shapes": 100, "text": 70, "chart": 50, "empty": 10, "photo": 10, "page": 10}
QUESTIONS = 2  # of one picture, of the kinds that were asked least so far


def encoded(image, kind):
    """Photographs come as JPEG, drawings as PNG."""
    data = io.BytesIO()
    if kind in ("photo", "page"):
        image.thumbnail((160, 160))
    if kind == "photo":
        image.save(data, "JPEG", quality=60)
        return "data:image/jpeg;base64," + base64.b64encode(data.getvalue()).decode()
    image.quantize(16, dither=0).save(data, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(data.getvalue()).decode()


def pictures():
    asked = Counter()
    for kind, count in KINDS.items():
        for _ in range(count):
            shown = scene(kind)
            image, _ = draw(shown)
            chosen = {}
            candidates = questions(shown)
            rng.shuffle(candidates)
            for candidate in sorted(candidates, key=lambda each: asked[each[0]]):
                if len(chosen) < QUESTIONS:
                    chosen.setdefault(candidate[0], candidate)
            asked.update(chosen.keys())
            listed = [
                dict(kind=name, question=question, answer=reply.replace(SPLIT, ""))
                for name, question, reply in chosen.values()
            ]
            yield dict(picture=encoded(image, kind), questions=listed)


if __name__ == "__main__":
    settings.held_out = True
    rng.seed("held-out pictures")
    rows = list(pictures())
    rng.shuffle(rows)
    with open(sys.argv[1], "w") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    print(Counter(question["kind"] for row in rows for question in row["questions"]))
