"""Pictures of scenes, as a client might send them and as llama.cpp prepares them for the vision model.

Pictures come in several sizes and proportions, drawn with and without smooth edges. `prepared` does
what llama.cpp does with `janus_pro`: it shrinks or enlarges to fit the square (bicubic, with Pillow's very
filter) and pads with grey. The fonts are Debian's DejaVu (fonts-dejavu); only training needs them.
"""

import math

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from values import chance, pick, rng
from vision.scenes import CHARACTERS, COLOURS, text

SIDE, PATCH = 96, 12
PADDING = (127, 127, 127)
RED_GREEN_BLUE = {
    "red": (220, 35, 35),
    "blue": (35, 65, 225),
    "green": (35, 160, 55),
    "yellow": (245, 225, 40),
    "orange": (250, 145, 25),
    "purple": (140, 45, 180),
    "pink": (252, 145, 195),
    "brown": (130, 78, 38),
    "black": (15, 15, 15),
    "white": (250, 250, 250),
    "grey": (130, 130, 130),
}
FACES = "Sans Sans-Bold SansMono Sans-Oblique SansCondensed Serif Serif-Bold SansMono-Bold".split()
FONTS = [f"/usr/share/fonts/truetype/dejavu/DejaVu{face}.ttf" for face in FACES]
PLAIN_FONTS = FONTS[:3]
fonts = {}
noise_bank = np.random.default_rng(1).normal(0, 1, (1 << 20)).astype(np.float32)


def font(path, size):
    if (path, size) not in fonts:
        fonts[path, size] = ImageFont.truetype(path, size)
    return fonts[path, size]


def ink(colour):
    """The colour as it comes in pictures: never quite the same. Pure values are common in drawings."""
    red, green, blue = RED_GREEN_BLUE[colour]
    pure = {"red": (255, 0, 0), "blue": (0, 0, 255), "black": (0, 0, 0), "white": (255, 255, 255)}
    pure |= {"yellow": (255, 255, 0), "green": pick((0, 128, 0), (0, 200, 0), (0, 255, 0)), "orange": (255, 165, 0)}
    pure |= {"grey": (128, 128, 128), "purple": (128, 0, 128), "pink": (255, 192, 203), "brown": (139, 69, 19)}
    if chance(0.25):
        return pure[colour]
    return tuple(max(0, min(255, value + rng.randint(-18, 18))) for value in (red, green, blue))


def polygon(shape):
    """Corners of a shape of radius 1 around 0, 0."""
    if shape == "square":
        return [(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)]
    if shape == "rectangle":
        high = rng.uniform(0.38, 0.56)
        corners = [(-1, -high), (1, -high), (1, high), (-1, high)]
        return corners if chance(0.7) else [(y, x) for x, y in corners]
    if shape == "triangle":
        return [(0, -0.95), (-0.95, 0.8), (0.95, 0.8)]
    if shape == "diamond":
        wide = rng.uniform(0.7, 1)
        return [(0, -1), (wide, 0), (0, 1), (-wide, 0)]
    if shape == "cross":
        arm = rng.uniform(0.24, 0.36)
        corner = [(arm, -1), (arm, -arm), (1, -arm)]
        turns = [(1, 0, 0, 1), (0, -1, 1, 0), (-1, 0, 0, -1), (0, 1, -1, 0)]
        return [(a * x + b * y, c * x + d * y) for a, b, c, d in turns for x, y in corner]
    if shape == "star":
        inner = rng.uniform(0.38, 0.48)
        return [
            ((1, inner)[i % 2] * math.sin(math.pi * i / 5), -(1, inner)[i % 2] * math.cos(math.pi * i / 5))
            for i in range(10)
        ]
    if shape == "heart":
        turns = [math.tau * i / 28 for i in range(28)]
        return [
            (math.sin(t) ** 3, -(13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t)) / 16)
            for t in turns
        ]
    return [(math.cos(math.tau * i / 40), math.sin(math.tau * i / 40)) for i in range(40)]


def patch_at(x, y):
    across = SIDE // PATCH
    return min(across - 1, int(y // PATCH)) * across + min(across - 1, int(x // PATCH))


def patches_in(left, top, right, bottom):
    """The patches whose centres are in the box, and the one in its middle."""
    inside = lambda low, high: range(math.ceil(low / PATCH - 0.5), math.floor(high / PATCH - 0.5) + 1)
    return [
        *(SIDE // PATCH * row + column for row in inside(top, bottom) for column in inside(left, right)),
        patch_at((left + right) / 2, (top + bottom) / 2),
    ]


def draw_shape(canvas, item, colour, edge, width, height):
    radius = item["size"] * min(width, height)
    x, y = item["x"] * width, item["y"] * height
    turned = (
        item["turn"]
        if item["shape"] in ("triangle", "star", "cross", "heart", "rectangle") and edge is not None
        else 0
    )
    cos, sin = math.cos(turned), math.sin(turned)
    corners = [
        (x + radius * (a * cos - b * sin), y + radius * (a * sin + b * cos)) for a, b in polygon(item["shape"])
    ]
    if edge == "line":
        canvas.line(
            [*corners, corners[0], corners[1]], fill=colour, width=max(2, round(radius * 0.22)), joint="curve"
        )
        return
    canvas.polygon(corners, fill=colour)
    if edge in ("black", "white"):
        canvas.line([*corners, corners[0]], fill=RED_GREEN_BLUE[edge], width=max(1, round(radius * 0.08)))


def draw_shapes(scene, canvas, width, height):
    """Draws, and returns the labels: (box, what, colour); a patch whose centre is in the box has the label."""
    style = rng.random()
    edge = "line" if style < 0.1 else "black" if style < 0.2 else "turned" if style < 0.5 else None
    inks = {}
    labels = []
    for item in scene["objects"]:
        colour = inks.setdefault(item["colour"], ink(item["colour"]))
        border = edge
        if edge == "black" and item["colour"] in ("black", "brown"):
            border = "turned"
        if edge == "line" and item["size"] * min(width, height) < 9:
            border = "turned"
        draw_shape(canvas, item, colour, border, width, height)
        x, y, inside = item["x"] * width, item["y"] * height, 0.55 * item["size"] * min(width, height)
        labels.append(((x - inside, y - inside, x + inside, y + inside), item["shape"], item["colour"]))
    return labels


def draw_text(scene, canvas, width, height):
    words, path = scene["text"], rng.choice(FONTS if chance(0.6) else PLAIN_FONTS)
    # The largest size that fits, measured once: widths grow with the size.
    left, top, right, bottom = font(path, 40).getbbox(words)
    fitting = 40 * min(width * 0.94 / (right - left), height * 0.9 / (bottom - top), height * 0.6 / 29)
    smallest = min(fitting, 12 * min(width, height) / SIDE * max(1, width / SIDE if width < SIDE else 1))
    size = max(5, int(rng.uniform(max(smallest, 0.65 * fitting), fitting)))
    chosen = font(path, size)
    left, top, right, bottom = chosen.getbbox(words)
    x = rng.uniform(0.03 * width, max(0.03 * width, 0.97 * width - (right - left))) - left
    y = rng.uniform(0.04 * height, max(0.04 * height, 0.96 * height - (bottom - top))) - top
    canvas.text((x, y), words, font=chosen, fill=ink(scene["colour"]))
    labels, start = [], x
    for index, sign in enumerate(words):
        end = x + chosen.getlength(words[: index + 1])
        if sign != " ":
            top, bottom = chosen.getbbox(sign)[1::2]
            middle = ((start + end) / 2, y + (top + bottom) / 2)
            labels.append((middle * 2, sign, scene["colour"]))
        start = end
    return labels


def letters():
    """A picture full of single signs, and their labels by patch: practice for reading, no scene."""
    scene = text()
    image = Image.new("RGB", (SIDE, SIDE), ink(scene["background"]))
    canvas, colour = ImageDraw.Draw(image), ink(scene["colour"])
    chosen = font(rng.choice(FONTS if chance(0.6) else PLAIN_FONTS), rng.randint(11, 30))
    low, high = chosen.getbbox("Hg")[1::2]
    labels = {}
    y = rng.uniform(0, 10)
    while y + high - low < SIDE:
        x = rng.uniform(0, 12)
        while True:
            sign = rng.choice(CHARACTERS[:-1])
            wide = chosen.getlength(sign)
            if x + wide > SIDE:
                break
            canvas.text((x, y - low), sign, font=chosen, fill=colour)
            top, bottom = chosen.getbbox(sign)[1::2]
            labels[patch_at(x + wide / 2, y - low + (top + bottom) / 2)] = (sign, scene["colour"])
            # Never two centres in one patch.
            x += max(wide, PATCH) + rng.uniform(0, 4)
        y += max(high - low, PATCH) + rng.uniform(0, 6)
    return np.asarray(image), [(patch, *label) for patch, label in labels.items()]


def draw_chart(scene, canvas, width, height):
    bars = scene["bars"]
    wide, base = width / len(bars), height * rng.uniform(0.9, 0.99)
    gap, top = rng.uniform(0.04, 0.25) * wide, rng.uniform(0.85, 0.97) * base
    labels = []
    for index, bar in enumerate(bars):
        left, high = index * wide, bar["height"] * top
        canvas.rectangle([left + gap, base - high, left + wide - gap, base], fill=ink(bar["colour"]))
        labels.append(((left + gap, base - high, left + wide - gap, base), "bar", bar["colour"]))
    line = (0, 0, 0) if scene["background"] != "black" else (255, 255, 255)
    if chance(0.7):
        canvas.line([0, base, width, base], fill=line, width=pick(1, 2))
    if chance(0.3):
        canvas.line([1, base - top, 1, base], fill=line, width=pick(1, 2))
    return labels


def photo(width, height):
    """Something that nobody drew: soft clouds of colour, waves, noise, clutter."""
    style = rng.random()
    generator = np.random.default_rng(rng.getrandbits(32))
    if style < 0.2:
        image = Image.new("RGB", (width, height), ink(rng.choice(COLOURS)))
        canvas = ImageDraw.Draw(image)
        for _ in range(rng.randint(15, 60)):
            box = [rng.uniform(-0.2, 1) * side for side in (width, height)]
            box += [box[0] + rng.uniform(0.05, 0.6) * width, box[1] + rng.uniform(0.05, 0.6) * height]
            colour = tuple(rng.randrange(256) for _ in range(3))
            pick(canvas.ellipse, canvas.rectangle, canvas.line)(box, fill=colour)
        return image
    # Coarse and fine random fields together, the fine ones weaker: roughly what photographs have.
    total = np.zeros((height, width, 3), np.float32)
    sizes = [(2, 3)] if style < 0.35 else [(3, 4), (6, 8), (14, 16), (40, 40)]
    tint = generator.uniform(0.3, 1, 3)
    for step, (rows, columns) in enumerate(sizes):
        field = generator.normal(0, 1, (rows, columns, 3)) * (0.4 + tint) + generator.normal(
            0, 1.5, (rows, columns, 1)
        )
        field = Image.fromarray(np.clip(127 + 40 * field, 0, 255).astype(np.uint8))
        total += (np.asarray(field.resize((width, height), Image.BICUBIC), np.float32) - 127) * rng.uniform(
            0.5, 1
        ) ** step
    total += 127 + generator.uniform(-50, 50, 3)
    if 0.35 < style < 0.5:
        rows = np.arange(height)[:, None, None] * rng.uniform(0.05, 0.6) + np.arange(width)[
            None, :, None
        ] * rng.uniform(0, 0.5)
        total += 60 * np.sin(rows)
    if style > 0.9:
        total = generator.uniform(0, 255, (height, width, 3))
    return Image.fromarray(np.clip(total, 0, 255).astype(np.uint8))


def page(width, height):
    """Lines of print too small to read once the picture is shrunk."""
    image = Image.new("RGB", (width, height), pick((255, 255, 255), (250, 248, 240), (30, 30, 30)))
    canvas = ImageDraw.Draw(image)
    size = max(4, round(rng.uniform(0.035, 0.075) * max(width, height)))
    dark = image.getpixel((0, 0))[0] > 100
    y = size
    letters = "etaoinshrdlucmfwypvbgk"
    while y < height - size:
        line = " ".join("".join(rng.choices(letters, k=rng.randint(2, 9))) for _ in range(rng.randint(3, 12)))
        if chance(0.85):
            canvas.text((size, y), line, font=font(FONTS[0], size), fill=(20, 20, 20) if dark else (230, 230, 230))
        y += size * 1.5
    return image


def proportions(kind):
    """Width and height once the picture fits the square."""
    if chance(0.7):
        return SIDE, SIDE
    low = 24 if kind == "text" else 54
    short = rng.randint(low, SIDE - 1)
    return (SIDE, short) if kind == "text" or chance(0.7) else (short, SIDE)


def draw(scene):
    """(picture as sent, labels): labels are (box, what, colour), boxes in shares of the picture."""
    width, height = proportions(scene["kind"])
    scale = pick(0.67, 1, 1, 2, 2, 2, 3) if scene["kind"] != "text" else pick(1, 1, 2, 2, 3)
    width, height = round(width * scale), round(height * scale)
    if scene["kind"] in ("photo", "page"):
        return (photo if scene["kind"] == "photo" else page)(width, height), []
    image = Image.new("RGB", (width, height), ink(scene["background"]))
    canvas = ImageDraw.Draw(image)
    painters = {"shapes": draw_shapes, "text": draw_text, "chart": draw_chart}
    labels = painters[scene["kind"]](scene, canvas, width, height) if scene["kind"] in painters else []
    return image, [
        ((left / width, top / height, right / width, bottom / height), what, colour)
        for (left, top, right, bottom), what, colour in labels
    ]


def prepared(image):
    """(array of SIDE x SIDE x 3 bytes, left, top, width, height): the picture within its padding."""
    scale = min(np.float32(SIDE) / np.float32(image.width), np.float32(SIDE) / np.float32(image.height))
    width = min(SIDE, math.ceil(np.float32(image.width) * scale))
    height = min(SIDE, math.ceil(np.float32(image.height) * scale))
    if image.size != (width, height):
        image = image.resize((width, height), Image.BICUBIC)
    if (width, height) == (SIDE, SIDE):
        return np.asarray(image), 0, 0, SIDE, SIDE
    left, top = (SIDE - width) // 2, (SIDE - height) // 2
    square = Image.new("RGB", (SIDE, SIDE), PADDING)
    square.paste(image, (left, top))
    return np.asarray(square), left, top, width, height


def with_noise(pixels):
    """What a camera or a strong JPEG does to flat colours."""
    at = rng.randrange(len(noise_bank) - pixels.size)
    noise = noise_bank[at : at + pixels.size].reshape(pixels.shape) * rng.uniform(1, 9)
    return np.clip(pixels + noise, 0, 255).astype(np.uint8)


def drawn(scene):
    """(array as the vision model reads it, labels by patch: (patch, what, colour))."""
    image, labels = draw(scene)
    pixels, left, top, width, height = prepared(image)
    if chance(0.15):
        pixels = pixels.copy()
        pixels[top : top + height, left : left + width] = with_noise(pixels[top : top + height, left : left + width])
    placed = [
        (patch, what, colour)
        for (x, y, right, bottom), what, colour in labels
        for patch in patches_in(left + x * width, top + y * height, left + right * width, top + bottom * height)
    ]
    return pixels, placed


if __name__ == "__main__":
    import sys
    import time

    from vision.scenes import scene

    rng.seed(5)
    sheet = Image.new("RGB", (98 * 16, 98 * 12))
    began = time.time()
    for index in range(192):
        sheet.paste(Image.fromarray(drawn(scene())[0]), (index % 16 * 98, index // 16 * 98))
    print(f"{(time.time() - began) / 192 * 1e3:.2f} ms a picture")
    sheet.save(sys.argv[1])
