"""Things the user says and asks for later, with other talk in between."""

from tasks_chat import greeting, how_to, too_much
from tasks_knowledge import fact
from tasks_numbers import small_sum
from tasks_text import repeat
from turns import answer, user
from values import chance, city, code, colour, expand, made_up, name, number, pick, rng, word
from words import JOBS

# What is told, how it is told, how it is asked for, and the answer.
NAME = (
    name,
    "(My name is {}|I am {}|I'm {}|Call me {}|You can call me {}|My name's {}|This is {})",
    "(What is my name|What's my name|Do you remember my name|Do you know my name|Who am I|Can you tell me my name|How am I called|Tell me my name)",
    "Your name is {}.",
)
OTHERS = (
    (number, "My (|lucky |favourite )number is {}", "What is my (|lucky |favourite )number", "Your number is {}."),
    (
        city,
        "(I live in {}|My city is {}|I am from {}|I come from {})",
        "(Where do I live|What is my city|Where am I from|In which city do I live)",
        "You live in {}.",
    ),
    (code, "(The|My) code is {}", "What (is|was) (the|my) code", "The code is {}."),
    (colour, "My favourite colour is {}", "What is my favourite colour", "Your favourite colour is {}."),
    (
        lambda: made_up().capitalize(),
        "(My dog is called {}|My dog's name is {}|I have a dog called {})",
        "(What is my dog called|What is the name of my dog|What is my dog's name)",
        "Your dog is called {}.",
    ),
    (
        lambda: pick(*JOBS),
        "I (work as|am) a {}",
        "(What is my job|What do I do|What is my work)",
        "You work as a {}.",
    ),
    (
        word,
        "The (password|secret word|magic word) is {}",
        "What (is|was) the (password|secret word|magic word)",
        "The word is {}.",
    ),
    (
        lambda: rng.randint(8, 90),
        "(I am {} years old|My age is {})",
        "(How old am I|What is my age)",
        "You are {} years old.",
    ),
)


def tell(item, value):
    """The statement, and the short answer to it."""
    draw, told, _, _ = item
    statement = expand(told).replace("{}", str(value))
    lead = pick(
        "", "", "", "Hi, ", "Hello! ", "Hi! ", "Hey, ", "Remember: ", "Please remember this. ", "Good morning. "
    )
    tail = pick(".", ".", "", "!", ". Please remember it.", ". Remember that.")
    if item is NAME:
        reply = f"Nice to meet you, {value}."
        tail = pick(tail, tail, tail, ". Nice to meet you.", ", nice to meet you!")
    else:
        reply = "Noted."
    return [user(lead + statement + tail), answer(reply, "I should remember this.")]


def ask(item, value):
    _, _, asked, reply = item
    question = (
        pick("", "", "", "Do you remember? ", "Tell me: ", "And now: ", "So, ")
        + expand(asked)
        + pick("?", "?", "?", "")
    )
    return [user(question), answer(reply.format(value), f"The user told me: {value}.")]


def distraction():
    return pick(fact, small_sum, repeat, greeting, how_to, too_much)()["turns"]


def told_and_asked(items, gap):
    told = [(item, item[0]()) for item in items]
    turns = []
    for item, value in told:
        turns += tell(item, value)
        if chance(0.3):
            turns += distraction()
    for _ in range(gap):
        turns += distraction()
    for item, value in rng.sample(told, rng.randint(1, len(told))):
        turns += ask(item, value)
        if chance(0.2):
            turns += distraction()
    if chance(0.3) and turns[-1]["role"] == "assistant":
        turns += ask(*rng.choice(told))
    return {"turns": turns}


def never_told():
    """Asking for a name that was not given must not bring up an invented one."""
    turns = distraction() if chance(0.3) else []
    item = NAME if chance(0.4) else rng.choice(OTHERS)
    reply = "You have not told me your name yet." if item is NAME else "You have not told me that yet."
    question = expand(item[2]) + pick("?", "?", "")
    return {"turns": turns + [user(question), answer(reply, "I have not been told.")]}


def memory():
    if chance(0.15):
        return never_told()
    items = rng.sample((NAME,) + OTHERS, pick(1, 2, 2, 3))
    return told_and_asked(items, pick(0, 0, 1, 2))


def memory_of_name():
    """The case people try first: tell a name, talk of other things, ask for it."""
    items = [NAME] + rng.sample(OTHERS, pick(0, 0, 0, 1))
    rng.shuffle(items)
    fragment = told_and_asked(items, pick(0, 1, 1, 2, 3, 4))
    fragment["turns"] += ask(
        NAME,
        next(turn["content"] for turn in fragment["turns"] if turn["content"].startswith("Nice to meet you, "))[
            18:-1
        ],
    )
    return fragment
