"""Questions about a scene with the answers that it makes true: tuples of kind, question, answer.

Text that is read sign by sign has SPLIT around each sign: then each sign is one token, as in the caption.
"""

from values import chance, expand, pick, rng
from vision import wording
from vision.scenes import COLOURS, COLUMNS, ROWS, SHAPES

SPLIT = "\x1f"
CANNOT_TELL = "I cannot tell that from the picture."
UNKNOWN_PICTURE = (
    "I only know simple drawn shapes, short printed text and bar charts. This picture shows something else."
)
SMALL_PRINT = "The picture shows text that is too small for me to read."
NUMBERS = "no one two three four five six seven eight nine".split()


def asked(patterns, *words):
    """A question of one of the patterns. Each %s takes the next word; a single word is taken by all."""
    question = expand(rng.choice(patterns.strip().split("\n")))
    slots = question.count("%s")
    return question % (words if len(words) == slots else words * slots)


def article(words):
    return ("an " if words[0] in "aeiou" else "a ") + words


def sentence(words):
    return words[0].upper() + words[1:] + "."


def listed(items):
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]


def place(cell):
    return "in the centre" if cell == 4 else f"at the {ROWS[cell // 3]} {COLUMNS[cell % 3]}"


def spelled(text):
    return SPLIT + SPLIT.join(text) + SPLIT


def plural(shape, count):
    return shape + ("es" if shape == "cross" else "s") * (count != 1)


def there_are(count, things):
    return f"There is 1 {things}." if count == 1 else f"There are {count or 'no'} {things}."


def named(item):
    return f"{item['colour']} {item['shape']}"


def shapes_shown(objects):
    """What an answer to "What is this?" names."""
    if len({named(item) for item in objects}) == 1 and len(objects) > 1:
        first = objects[0]
        return f"{NUMBERS[len(objects)]} {first['colour']} {plural(first['shape'], 2)}"
    if len(objects) > 4:
        return f"{NUMBERS[len(objects)]} shapes"
    return listed([article(named(item)) for item in objects])


def about_shapes(scene):
    objects = scene["objects"]
    count = len(objects)
    alone = lambda key: [item for item in objects if sum(other[key] == item[key] for other in objects) == 1]
    yield "describe", asked(wording.DESCRIBE), sentence(shapes_shown(objects))
    yield "count", asked(wording.COUNT_ALL), there_are(count, "shape" if count == 1 else "shapes")
    shape = rng.choice([item["shape"] for item in objects] * 3 + SHAPES)
    matching = sum(item["shape"] == shape for item in objects)
    yield "count", asked(wording.COUNT, plural(shape, 2)), there_are(matching, plural(shape, matching))
    for item in rng.sample(alone("shape"), min(2, len(alone("shape")))):
        yield "colour", asked(wording.COLOUR, item["shape"]), f"The {item['shape']} is {item['colour']}."
        colour = pick(item["colour"], rng.choice(COLOURS))
        reply = "Yes" if colour == item["colour"] else "No"
        yield (
            "colour",
            asked(wording.IS_COLOUR, item["shape"], colour),
            f"{reply}, the {item['shape']} is {item['colour']}.",
        )
        yield "position", asked(wording.POSITION, item["shape"]), f"The {item['shape']} is {place(item['cell'])}."
    for item in rng.sample(alone("colour"), min(1, len(alone("colour")))):
        yield "shape", asked(wording.SHAPE_OF_COLOUR, item["colour"]), f"The {item['shape']} is {item['colour']}."
    if len({item["shape"] for item in objects}) == 1:
        item = objects[0]
        if count == 1:
            yield "colour", asked(wording.COLOUR_OF_IT), f"The {item['shape']} is {item['colour']}."
            yield "shape", asked(wording.SHAPE_OF_IT), sentence(article(item["shape"]))
            yield "position", wording.POSITION_OF_IT, f"The {item['shape']} is {place(item['cell'])}."
        elif len({item["colour"] for item in objects}) == 1:
            shapes = plural(item["shape"], 2)
            yield "colour", asked(wording.COLOUR_OF_THEM, shapes), f"The {shapes} are {item['colour']}."
    cell = rng.choice([item["cell"] for item in objects] * 2 + [rng.randrange(9)])
    there = [item for item in objects if item["cell"] == cell]
    yield "place", asked(wording.AT_PLACE, place(cell)), sentence(article(named(there[0])) if there else "nothing")
    item = rng.choice(objects)
    colour, shape = pick(item["colour"], rng.choice(COLOURS)), pick(item["shape"], rng.choice(SHAPES))
    seen = any((other["colour"], other["shape"]) == (colour, shape) for other in objects)
    thing = article(f"{colour} {shape}")
    yield (
        "present",
        asked(wording.PRESENT, thing),
        f"Yes, there is {thing}." if seen else f"No, I do not see {thing}.",
    )
    absent = [shape for shape in SHAPES if all(item["shape"] != shape for item in objects)]
    if absent and chance(0.5):
        shape = rng.choice(absent)
        question = asked(pick(wording.COLOUR, wording.POSITION), shape)
        yield "present", question, f"I do not see {article(shape)}."


def about_text(scene):
    text = scene["text"]
    answer = f'It says "{spelled(text)}".'
    kind = "word" if any(sign.isalpha() for sign in text) else "number"
    yield kind, asked(wording.READ), answer
    yield kind, asked(wording.DESCRIBE), answer
    yield kind, asked(wording.READ_NUMBER if kind == "number" else wording.READ_WORD), answer
    yield "colour", asked(wording.INK), f"The text is {scene['colour']}."


def about_chart(scene):
    bars = scene["bars"]
    colours = [bar["colour"] for bar in bars]
    by_height = sorted(bars, key=lambda bar: bar["height"])
    bar_of = lambda bar: f"The {bar['colour']} bar"
    yield "describe", asked(wording.DESCRIBE), f"A bar chart with {len(bars)} bars: {listed(colours)}."
    yield "chart highest", asked(wording.HIGHEST), f"{bar_of(by_height[-1])} is the highest."
    yield "chart lowest", asked(wording.LOWEST), f"{bar_of(by_height[0])} is the lowest."
    yield "chart count", asked(wording.COUNT_BARS), f"There are {len(bars)} bars."
    one, other = rng.sample(bars, 2)
    higher = max(one, other, key=lambda bar: bar["height"])
    reply = f"{'Yes' if higher is one else 'No'}, the {higher['colour']} bar is higher."
    yield "chart compare", asked(wording.COMPARE, one["colour"], other["colour"]), reply
    question = asked(wording.COMPARE_TWO, one["colour"], other["colour"])
    yield "chart compare", question, f"{bar_of(higher)} is higher."
    yield "chart place", asked(wording.FIRST_BAR), f"The first bar is {colours[0]}."
    yield "chart place", asked(wording.LAST_BAR), f"The last bar is {colours[-1]}."


def about_any(scene):
    yield "background", asked(wording.BACKGROUND), f"The background is {scene['background']}."
    thing = article(rng.choice(wording.ABSENT))
    if chance(0.3):
        yield "present", asked(wording.PRESENT, thing), f"No, I do not see {thing}."
    if chance(0.5):
        yield "beyond", asked(wording.BEYOND), CANNOT_TELL


def questions(scene):
    kind = scene["kind"]
    if kind in ("photo", "page"):
        patterns = wording.DESCRIBE, wording.READ, wording.COUNT_ALL, wording.BACKGROUND, wording.BEYOND
        weights = 8, 2, 1, 1, 1
        reply = UNKNOWN_PICTURE if kind == "photo" else SMALL_PRINT
        return [(kind, asked(rng.choices(patterns, weights)[0]), reply) for _ in range(3)]
    if kind == "empty":
        shown = f"An empty {scene['background']} picture."
        nothing = [
            ("empty", asked(wording.DESCRIBE), shown),
            ("empty", asked(wording.READ), "There is no text in the picture."),
        ]
        nothing.append(("empty", asked(wording.COUNT_ALL), "There are no shapes."))
        return nothing + list(about_any(scene))
    about = {"shapes": about_shapes, "text": about_text, "chart": about_chart}[kind]
    asked_now = [*about(scene), *about_any(scene)]
    if kind == "shapes" and chance(0.2):
        asked_now.append(("present", asked(wording.READ), "There is no text in the picture."))
    return asked_now
