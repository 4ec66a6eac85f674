"""Text operations on whole words: repeat, pick one, list.

Nothing here works on letters: the tokenizer hides them, and a model of this size does not learn
how tokens are spelled.
"""

from turns import exchange
from values import (
    code,
    distinct,
    email,
    expand,
    address,
    letters,
    made_up,
    name,
    number,
    passage,
    pick,
    rng,
    sentence,
    site,
    word,
    words,
)

REPEAT = (
    "(Please|Can you|) (repeat|echo|copy|print|output|type|write)(| back)(| this| the following| this text| this sentence| the text| after me)(| exactly): {}",
    "(Repeat|Echo|Say|Copy|Print|Output|Write) {}",
    "(Say|Write|Print|Repeat) exactly(|:) {}",
    "(Please|) say {}",
    "(Reply|Answer|Respond)(| only| with only| just) with(| exactly| only| the text| the words)(|:) {}",
    "(Say|Write|Output) {} and nothing else(|.)",
    "(Reply|Answer) with {} and nothing else(|.)",
    "(Repeat|Copy)(| after me| exactly| this text):\n{}",
    "{}\n(Repeat|Copy) (that|this|the text|the line above)(|.)",
)


def quoted(text):
    """Quoted in the question, bare in the answer."""
    return pick('"%s"', "'%s'", "`%s`", "%s", "%s", "%s") % text


def copyable():
    return pick(
        sentence,
        sentence,
        lambda: passage(rng.randint(2, 4)),
        lambda: " ".join(words(1, 4)),
        lambda: " ".join(words(1, 4)),
        lambda: " ".join(words(5, 30)),
        lambda: " ".join(made_up() for _ in range(rng.randint(1, 12))),
        lambda: " ".join(letters() for _ in range(rng.randint(1, 6))),
        code,
        lambda: f"{name()} {number()}",
        email,
        site,
        address,
        lambda: " ".join(str(number()) for _ in range(rng.randint(1, 8))),
        lambda: " ".join(code() for _ in range(rng.randint(2, 4))),
        lambda: ", ".join(words(2, 8)),
    )()


def repeat():
    text = copyable()
    question = rng.choice(REPEAT).replace("{}", "\0")
    return exchange(expand(question).replace("\0", quoted(text)), text, "Copy the text.")


def nth_word():
    chosen = distinct(word, rng.randint(3, 6))
    position, label = pick((0, "first"), (1, "second"), (2, "third"), (-1, "last"))
    text = " ".join(chosen)
    question = pick(
        f"What is the {label} word of: {text}",
        f"What is the {label} word in: {text}",
        f"Give the {label} word: {text}",
        f"{text}\nWhat is the {label} word?",
    )
    return exchange(question, chosen[position], "Find the position.")


def bullet_list():
    chosen = distinct(word, rng.randint(2, 6))
    question = pick("Make a bullet list of {}", "Turn this into a list: {}", "Write as a list: {}", "Make a list: {}")
    return exchange(
        question.format(", ".join(chosen)), "\n".join("- " + item for item in chosen), "One line for each."
    )
