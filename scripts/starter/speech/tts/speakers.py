"""The voices that the starter synthesizer imitates: a voice of espeak-ng and its pitch. Their order is their number."""

SPEAKERS = [
    ("gmw/en-US", 46),
    ("gmw/en-US+f2", 50),
    ("gmw/en-US+m3", 44),
    ("gmw/en-US+f4", 52),
    ("gmw/en-US+m1", 30),
    ("gmw/en-US+f5", 62),
    ("gmw/en-US+m7", 58),
    ("gmw/en-US+Annie", 50),
    ("gmw/en-US+m2", 66),
    ("gmw/en-US+f1", 40),
    ("gmw/en-US+Lee", 50),
    ("gmw/en-US+steph", 50),
    ("gmw/en-US+m4", 50),
]
ACCENT = "gmw/en-US"
