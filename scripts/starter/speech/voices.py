"""Voices of espeak-ng: an accent with a variant. Those of held-out-voices.txt only measure."""

import os

ACCENTS = """gmw/en-US gmw/en gmw/en-GB-scotland gmw/en-GB-x-rp gmw/en-029 gmw/en-US-nyc gmw/en-GB-x-gbclan""".split()
VARIANTS = """m1 m2 m3 m4 m6 m7 m8 f1 f2 f4 f5 klatt klatt2 klatt4 klatt6 Alex Alicia Andy Annie Denis Diogo Gene
Henrique Hugo Jacky Lee Marco Mario Michael Mike Nguyen Storm adam anika antonio aunty belinda benjamin boris caleb
david ed edward grandma grandpa gustave iven iven2 iven3 john kaukovalta marcelo michel miguel norbert pablo paul pedro
quincy rob robert sandro shelby steph steph2 travis victor zac""".split()
COMMON_ACCENTS = ACCENTS[:4]  # with these held-out variants measure


def _held_out(kind):
    with open(os.path.join(os.path.dirname(__file__), "held-out-voices.txt")) as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return [name for row_kind, name in rows if row_kind == kind]


HELD_OUT_ACCENTS, HELD_OUT_VARIANTS = _held_out("accent"), _held_out("variant")


def training_voice(rng):
    accent = rng.choice(ACCENTS) if rng.random() < 0.55 else rng.choice(ACCENTS[:2])
    return f"{accent}+{rng.choice(VARIANTS)}" if rng.random() < 0.9 else accent


def held_out_voice(rng):
    return f"{rng.choice(COMMON_ACCENTS)}+{rng.choice(HELD_OUT_VARIANTS)}"
