"""Writes src/testing/picture-fixtures: one picture in the variants of each format that tests, attacks and fuzzing begin with.

usage: python make.py FOLDER    (needs Pillow 12)

It is 48 x 32, in quarters: red, green over blue, yellow. Animations go on with a black frame.
"""

import struct
import sys
import zlib
from pathlib import Path

from PIL import Image

WIDTH, HEIGHT = 48, 32
QUARTERS = [(220, 30, 30), (30, 180, 60), (40, 60, 210), (240, 220, 40)]
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
ROTATED = 6  # EXIF: the file's first row is the upright picture's right edge

folder = Path(sys.argv[1])


def colour(x, y):
    return QUARTERS[(2 if y >= HEIGHT // 2 else 0) + (1 if x >= WIDTH // 2 else 0)]


def png(name, header, lines, *chunks):
    """A PNG of what Pillow does not write; each line begins with its filter, none."""
    parts = [(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, *header)), *chunks]
    parts += [(b"IDAT", zlib.compress(b"".join(b"\0" + line for line in lines))), (b"IEND", b"")]
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    (folder / name).write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts))


def rows(pixel, passes=((0, 0, 1, 1),)):
    for left, top, across, down in passes:
        for y in range(top, HEIGHT, down):
            yield b"".join(pixel(*colour(x, y)) for x in range(left, WIDTH, across))


picture = Image.new("RGB", (WIDTH, HEIGHT))
picture.putdata([colour(x, y) for y in range(HEIGHT) for x in range(WIDTH)])
black = Image.new("RGB", (WIDTH, HEIGHT))
seen_through = picture.convert("RGBA")
seen_through.putalpha(picture.convert("L"))
exif = Image.Exif()
exif[0x0112] = ROTATED
lying = picture.transpose(Image.Transpose.ROTATE_90)
animation = {"save_all": True, "append_images": [black, picture], "duration": 100, "loop": 0}

png("rgb.png", (8, 2, 0, 0, 0), rows(lambda r, g, b: bytes((r, g, b))))
png("rgb-16-bits.png", (16, 2, 0, 0, 0), rows(lambda r, g, b: struct.pack(">HHH", r * 257, g * 257, b * 257)))
png("grey-16-bits.png", (16, 0, 0, 0, 0), rows(lambda r, g, b: struct.pack(">H", (r + g + b) * 85)))
png("interlaced.png", (8, 2, 0, 0, 1), rows(lambda r, g, b: bytes((r, g, b)), ADAM7))
seen_through.save(folder / "alpha.png")
picture.quantize(4).save(folder / "palette.png")
picture.convert("1").save(folder / "1-bit.png")

picture.save(folder / "rgb.jpg")
picture.save(folder / "progressive.jpg", progressive=True, subsampling=0)
picture.convert("L").save(folder / "grey.jpg")
picture.convert("CMYK").save(folder / "cmyk.jpg")
lying.save(folder / "rotated.jpg", exif=exif)

picture.save(folder / "still.gif", interlace=0)
picture.save(folder / "interlaced.gif", interlace=1)
picture.save(folder / "animated.gif", **animation)

picture.save(folder / "rgb.bmp")
seen_through.save(folder / "alpha.bmp")
picture.quantize(4).save(folder / "palette.bmp")

picture.save(folder / "lossy.webp")
picture.save(folder / "lossless.webp", lossless=True)
seen_through.save(folder / "alpha.webp")
picture.save(folder / "animated.webp", **animation)
lying.save(folder / "rotated.webp", exif=exif, lossless=True)
