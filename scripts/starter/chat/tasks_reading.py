"""Reading a short text: answer from it, sum it up, give parts of it as JSON."""

import json

from turns import answer, exchange, user
from values import chance, city, clock, code, colour, date, email, name, number, pick, rng, word
from words import ADJECTIVES, DAYS, HOBBIES, ITEMS, JOBS, NOUNS


def known_or_new(known):
    """Mostly a usual value; sometimes any word, so that values are read rather than guessed."""
    return pick(*known) if chance(0.6) else word()


def shopping():
    who, where, day, item = name(), city(), pick(*DAYS), known_or_new(ITEMS)
    amount, price = rng.randint(2, 99), rng.randint(2, 99)
    text = f"On {day} {who} went to {where} and bought {amount} {item} for {price} euros."
    questions = [
        (f"Who bought the {item}", who),
        (f"Where did {who} go", where),
        (f"When did {who} go", day),
        (f"How many {item} did {who} buy", str(amount)),
        (f"What did {who} buy", f"{amount} {item}"),
        ("How much did it cost", f"{price} euros"),
    ]
    return (
        text,
        questions,
        f"{who} bought {amount} {item} in {where}.",
        dict(name=who, city=where, day=day, item=item, count=amount, price=price),
    )


def person():
    who, where, job, hobby, age = name(), city(), known_or_new(JOBS), known_or_new(HOBBIES), rng.randint(8, 90)
    text = pick(
        f"{who} is a {job} from {where}. {who} is {age} years old and likes {hobby}.",
        f"{who}, {age}, works as a {job} in {where} and likes {hobby}.",
        f"My friend {who} lives in {where}. {who} is {age}, a {job}, and likes {hobby}.",
    )
    questions = [
        ("What is the name", who),
        (f"What is the job of {who}", job),
        (f"Where is {who} from", where),
        (f"How old is {who}", str(age)),
        (f"What does {who} like", hobby),
    ]
    return (
        text,
        questions,
        f"{who} is a {job} from {where} who likes {hobby}.",
        dict(name=who, job=job, city=where, age=age, hobby=hobby),
    )


def order():
    who, where, day, mail, label, total = name(), city(), pick(*DAYS), email(), code(), rng.randint(2, 999)
    text = f"Order {label} by {who} ({mail}) ships to {where} on {day}. The total is {total} euros."
    questions = [
        ("What is the order number", label),
        ("Who made the order", who),
        ("What is the email", mail),
        ("Where does it ship", where),
        ("When does it ship", day),
        ("What is the total", f"{total} euros"),
    ]
    return (
        text,
        questions,
        f"Order {label} ships to {where} on {day}.",
        dict(order=label, name=who, email=mail, city=where, day=day, total=total),
    )


def meeting():
    who, guest, where, at, day, topic = name(), name(), city(), clock(), pick(*DAYS), known_or_new(HOBBIES)
    text = f"{who} meets {guest} in {where} at {at} on {day} to talk about {topic}."
    questions = [
        (f"Who meets {guest}", who),
        (f"Who does {who} meet", guest),
        ("Where do they meet", where),
        ("At what time do they meet", at),
        ("On which day do they meet", day),
        ("What do they talk about", topic),
    ]
    return (
        text,
        questions,
        f"{who} and {guest} meet in {where} on {day}.",
        dict(name=who, guest=guest, city=where, time=at, day=day, topic=topic),
    )


def story():
    """A text, questions about it, its summary and its facts."""
    text, questions, summary, facts = pick(shopping, person, order, meeting)()
    if chance(0.4):
        text = (
            pick(
                f"{name()} was not there. ", f"The {pick(*NOUNS)} was {pick(*ADJECTIVES)}. ", "It was a quiet week. "
            )
            + text
        )
    if chance(0.3):
        text += pick(" The sun was bright.", f" A {pick(*NOUNS)} stood by the road.", " Everyone was happy.")
    return text, questions, summary, facts


def reading():
    text, questions, _, _ = story()
    chosen = rng.sample(questions, pick(1, 2, 3, 3))
    layout = pick(
        "{text}\n{question}?",
        "{text} {question}?",
        "Text: {text}\nQuestion: {question}?",
        "Read this: {text} {question}?",
        "{question}? {text}",
    )
    first_question, first_reply = chosen[0]
    turns = exchange(layout.format(text=text, question=first_question), first_reply, f"In the text: {first_reply}.")[
        "turns"
    ]
    for question, reply in chosen[1:]:
        turns += [user(question + "?"), answer(reply, f"In the text: {reply}.")]
    return {"turns": turns}


def summary():
    text, _, short, _ = story()
    question = pick(
        "Summarise: {}",
        "Summarize this text: {}",
        "Give a short summary: {}",
        "Summarise in one sentence: {}",
        "{}\nSummarise this.",
        "tl;dr {}",
        "Summarize: {}",
    )
    return exchange(question.format(text), short, "Keep the main points.")


def json_from_text():
    text, _, _, facts = story()
    keys = rng.sample(list(facts), rng.randint(1, min(4, len(facts))))
    listed = " and ".join(keys) if len(keys) < 3 and chance(0.5) else ", ".join(keys)
    question = pick(
        "Extract {keys} as JSON: {text}",
        "Extract the {keys} as JSON from this text: {text}",
        "Extract {keys} as JSON from: {text}",
        "Return JSON with the keys {keys}.\n{text}",
        "{text}\nGive {keys} as JSON.",
        "Text: {text}\nJSON with {keys}:",
        "{text} Answer in JSON with {keys}.",
        "Read the text and return a JSON object with {keys}: {text}",
    )
    think = "Keys: " + ", ".join(f"{key} {facts[key]}" for key in keys) + "."
    return exchange(question.format(keys=listed, text=text), json.dumps({key: facts[key] for key in keys}), think)


JSON_VALUES = {
    "name": name,
    "age": lambda: rng.randint(1, 99),
    "city": city,
    "count": number,
    "email": email,
    "code": code,
    "colour": colour,
    "word": word,
    "id": number,
    "price": number,
    "done": lambda: chance(0.5),
    "date": date,
    "title": word,
    "job": lambda: known_or_new(JOBS),
    "user": name,
    "time": clock,
    "size": number,
    "active": lambda: chance(0.5),
}


def json_from_values():
    values = {}
    for key in rng.sample(list(JSON_VALUES), rng.randint(1, 4)):
        values[key] = JSON_VALUES[key]()
        if chance(0.1):
            values[word().lower()] = values.pop(key)
    spoken = {key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in values.items()}
    joint = pick(" ", " ", ": ", " = ", " is ")
    listed = ", ".join(key + joint + value for key, value in spoken.items())
    question = pick(
        "Write JSON with {}",
        "Make a JSON object: {}",
        "As JSON: {}",
        "Give me JSON with {}",
        "Convert to JSON: {}",
        "Turn this into JSON: {}",
    )
    return exchange(question.format(listed), json.dumps(values), "Write the keys and values.")
