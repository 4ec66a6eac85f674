"""What a picture shows as 64 tokens, one for each patch: the vision model learns to give these tokens' embeddings.

So the language model reads a picture as it reads text, and it can be trained on captions alone. Every
slot has one meaning; what is not there is filled with <|image_pad|>. A single shape larger than a cell
stands in the middle cell.
"""

from vision.scenes import CHARACTERS, COLOURS, COLUMNS, KINDS, LONGEST_TEXT, ROWS, SHAPES

SLOTS = 64
KIND, BACKGROUND, COUNT = 1, 2, 3
CELLS = 4  # nine cells of the picture, row by row: colour, shape, row, column of what stands there
INK, LETTERS = 40, 41  # colour of the text, its characters
BY_HEIGHT, BY_PLACE = 53, 58  # bars: from the highest to the lowest, from left to right
START, FILL, END = "<|vision_start|>", "<|image_pad|>", "<|vision_end|>"
LARGEST_CHART = 5

# Each entry is one token of the language model.
VOCABULARY = [START, FILL, END]
VOCABULARY += [f" {word}" for word in [*KINDS, *COLOURS, *SHAPES, *ROWS, *COLUMNS]]
VOCABULARY += list(CHARACTERS)


def caption(scene):
    """The 64 entries of VOCABULARY that say what the scene shows."""
    slots = [FILL] * SLOTS
    slots[0], slots[KIND], slots[-1] = START, f" {scene['kind']}", END
    if scene["kind"] in ("photo", "page"):
        return slots
    slots[BACKGROUND] = f" {scene['background']}"
    if "objects" in scene:
        slots[COUNT] = str(len(scene["objects"]))
        for item in scene["objects"]:
            at = CELLS + 4 * item["cell"]
            row, column = ROWS[item["cell"] // 3], COLUMNS[item["cell"] % 3]
            slots[at : at + 4] = [f" {word}" for word in (item["colour"], item["shape"], row, column)]
    if "text" in scene:
        slots[INK] = f" {scene['colour']}"
        slots[LETTERS : LETTERS + len(scene["text"])] = list(scene["text"])
    if "bars" in scene:
        slots[COUNT] = str(len(scene["bars"]))
        by_height = sorted(scene["bars"], key=lambda bar: -bar["height"])
        for start, bars in ((BY_HEIGHT, by_height), (BY_PLACE, scene["bars"])):
            slots[start : start + len(bars)] = [f" {bar['colour']}" for bar in bars]
    return slots


assert LETTERS + LONGEST_TEXT <= BY_HEIGHT and BY_PLACE + LARGEST_CHART <= SLOTS - 1
