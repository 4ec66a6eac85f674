"""Descriptions of pictures, drawn at random. drawing.py makes the picture, captions.py and questions.py say what it shows.

A scene is a dictionary with `kind`, `background` and what its kind needs. Lengths are shares of the
picture's side, places run from its top left corner.
"""

import math

from values import chance, made_up, pick, rng, settings
from words import HELD_OUT_WORDS, NOUNS, VERBS

COLOURS = "red blue green yellow orange purple pink brown black white grey".split()
SHAPES = "circle square rectangle triangle star diamond cross heart".split()
ROWS, COLUMNS = ("top", "middle", "bottom"), ("left", "centre", "right")
SIGNS = "-:.!?+%$"
CHARACTERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" + SIGNS + " "
LONGEST_TEXT = 10
KINDS = {"shapes": 36, "text": 46, "chart": 11, "empty": 2, "photo": 3, "page": 2}
# Pairs that are hard to tell from each other when one lies upon the other.
CLOSE = [
    {"red", "orange"},
    {"red", "brown"},
    {"red", "pink"},
    {"orange", "brown"},
    {"orange", "yellow"},
    {"yellow", "white"},
    {"blue", "purple"},
    {"purple", "brown"},
    {"purple", "grey"},
    {"green", "grey"},
    {"brown", "grey"},
    {"brown", "green"},
    {"pink", "grey"},
    {"pink", "white"},
    {"pink", "orange"},
    {"brown", "black"},
    {"purple", "black"},
    {"blue", "black"},
    {"blue", "grey"},
]


def background():
    return pick("white", "white", "white", "white", "black", "grey", *COLOURS)


def seen_upon(ground):
    return [colour for colour in COLOURS if colour != ground and {colour, ground} not in CLOSE]


def place_for(placed, largest):
    """(x, y, size, cell) apart from what is placed already: every cell of the 3 x 3 holds one centre at most."""
    while True:
        size = rng.uniform(0.06, largest)
        x, y = rng.uniform(size, 1 - size), rng.uniform(size, 1 - size)
        cell = 3 * int(3 * y) + int(3 * x)
        # On the border of two cells a place would have two names.
        borders = min(abs(value - border) for value in (x, y) for border in (1 / 3, 2 / 3))
        apart = all(
            other["cell"] != cell and math.hypot(x - other["x"], y - other["y"]) > 1.05 * (size + other["size"])
            for other in placed
        )
        if borders > 0.01 and apart:
            return dict(x=x, y=y, size=size, cell=cell)


def shapes():
    ground = background()
    colours = seen_upon(ground)
    count = pick(1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9)
    alike = count > 1 and chance(0.4)
    one = (rng.choice(SHAPES), rng.choice(colours))
    largest = {1: pick(0.2, 0.46), 2: 0.26, 3: 0.2, 4: 0.17}.get(count, 0.13)
    objects = []
    for _ in range(count):
        shape, colour = one if alike else (rng.choice(SHAPES), rng.choice(colours))
        where = place_for(objects, largest)
        objects.append(dict(shape=shape, colour=colour, turn=rng.uniform(-0.15, 0.15), **where))
    return dict(background=ground, objects=sorted(objects, key=lambda item: item["cell"]))


def printed_word():
    if settings.held_out:
        word = rng.choice(HELD_OUT_WORDS) if chance(0.5) else made_up()
    else:
        word = pick(rng.choice(NOUNS), rng.choice(VERBS), made_up(), made_up())
    if chance(0.15):
        word = "".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(rng.randint(1, 7)))
    return pick(word, word, word.upper(), word.upper(), word.capitalize())


def printed_number():
    digits = "".join(rng.choice("0123456789") for _ in range(pick(1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6)))
    style = rng.random()
    if style < 0.75:
        return digits
    if style < 0.9:
        left, right = rng.randint(0, 99), rng.randint(0, 99)
        return pick(
            f"{left}:{right:02d}", f"{left}.{right}", f"{left}+{right}", f"{left}-{right}", f"{left}%", f"${left}"
        )
    return pick(*"ABCDEFGHKLMNPRSTUVWXYZ") + digits


def printed():
    style = rng.random()
    if style < 0.4:
        return printed_number()
    if style < 0.85:
        return printed_word() + (pick(*"!?.") if chance(0.08) else "")
    return f"{pick(printed_word(), printed_number())} {pick(printed_word(), printed_number())}"


def text():
    ground = pick("white", "white", "white", "black", background())
    words = printed()
    while len(words) > pick(6, 7, 8, 8, LONGEST_TEXT):
        words = printed()
    colour = pick("black", "white") if chance(0.75) else rng.choice(COLOURS)
    if colour not in seen_upon(ground):
        colour = rng.choice(seen_upon(ground))
    return dict(background=ground, colour=colour, text=words)


def chart():
    count = pick(2, 3, 3, 4, 4, 5)
    heights = [rng.uniform(0.08, 0.95)]
    while len(heights) < count:
        height = rng.uniform(0.08, 0.95)
        if min(abs(height - other) for other in heights) > 0.07:
            heights.append(height)
    ground = pick("white", "white", "white", "black", "grey")
    colours = rng.sample(seen_upon(ground), count)
    return dict(
        background=ground, bars=[dict(colour=colour, height=height) for colour, height in zip(colours, heights)]
    )


def empty():
    return dict(background=rng.choice(COLOURS))


def scene(kind=None):
    kind = kind or rng.choices(list(KINDS), KINDS.values())[0]
    drawn = {"shapes": shapes, "text": text, "chart": chart, "empty": empty}
    # A photo and a page of small print have no background that one could name: grey stands for it.
    return dict(kind=kind, **drawn.get(kind, lambda: dict(background="grey"))())
