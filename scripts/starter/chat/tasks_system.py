"""System prompts that change the answer: a role, a prefix, a format, a fact."""

import json

from facts import CAPITALS
from tasks_chat import greeting, too_much
from tasks_knowledge import definition, fact
from tasks_reading import reading
from tasks_text import nth_word, repeat
from turns import exchange
from values import city, code, name, number, pick, rng, word
from words import JOBS

PLAIN = (
    "You are a helpful assistant.",
    "You are a helpful assistant.",
    "You are a helpful assistant.",
    "You are helpful.",
    "You are a helpful assistant. Answer briefly.",
    "Be kind and helpful.",
    "You are the assistant of a small company.",
    "Answer the questions of the user.",
    "You are a helpful, honest and concise assistant.",
    "You are an AI assistant.",
    "Be concise.",
    "You are a friendly chatbot.",
)


def base():
    return pick(fact, fact, repeat, reading, definition, nth_word, greeting, too_much)()


def answers_of(fragment):
    return [turn for turn in fragment["turns"] if turn["role"] == "assistant"]


def persona():
    who, role = name(), pick(*JOBS, "pirate", "robot", "wizard", "cat", "captain", "guide")
    system = pick("You are {}, a {}.", "Your name is {}. You are a {}.", "You are {}, a {}. Be friendly.").format(
        who, role
    )
    question = pick("Who are you?", "What is your name?", "Introduce yourself", "What are you?")
    return exchange(question, f"I am {who}, a {role}.", f"The system says I am {who}.", system=system)


def ending():
    fragment, end = base(), pick(word, lambda: word().capitalize() + "!", lambda: "Over.", code, name)()
    for turn in answers_of(fragment):
        turn["content"] += " " + end
    return dict(
        fragment,
        system=pick(
            "End every answer with {}",
            "Finish each reply with {}",
            "Always end with {}",
            "End your answers with the word {}",
        ).format(end),
    )


def beginning():
    fragment, start = base(), pick(word, lambda: word().capitalize() + ":", name, lambda: "Dear " + name() + ",")()
    for turn in answers_of(fragment):
        turn["content"] = start + " " + turn["content"]
    return dict(
        fragment,
        system=pick("Start every answer with {}", "Begin each reply with {}", "Always start with {}").format(start),
    )


def as_json():
    fragment = base()
    for turn in answers_of(fragment):
        turn["content"] = json.dumps({"answer": turn["content"]})
    return dict(
        fragment,
        system=pick(
            'Answer as JSON with the key "answer".',
            'Reply in JSON: {"answer": ...}.',
            "Always answer with a JSON object with the key answer.",
        ),
    )


def one_word():
    country, capital = rng.choice(CAPITALS)
    return exchange(
        f"What is the capital of {country}?",
        capital,
        f"{capital}.",
        system=pick("Answer in one word.", "Give only the answer.", "Answer with as few words as possible."),
    )


def given_fact():
    who, value = name(), pick(number, code, city, word)()
    what = pick("secret code", "room", "ticket", "table", "order", "office", word())
    question = pick(f"What is the {what} of {who}?", f"Tell me the {what} of {who}.")
    system = pick("You are a helpful assistant. ", "") + f"The {what} of {who} is {value}."
    return exchange(question, f"The {what} of {who} is {value}.", "The system prompt says it.", system=system)


def system_prompt():
    return pick(persona, ending, beginning, as_json, one_word, given_fact, given_fact)()
