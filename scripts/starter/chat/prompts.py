"""System prompts as agents send them: long, full of rules, lists, tags, code and tools.

The model is to answer as ever after them, however long they are. Half of the text is drawn from a grammar, the rest is
taken from this project's own documents and sources.
"""

import functools
import json
from pathlib import Path

from tool_catalogue import some_tools
from topics import ACTIONS, PROPERTIES, SUBJECTS, TOPIC_WORDS
from values import (
    chance,
    clause,
    code,
    expand,
    file_name,
    letters,
    made_up,
    number,
    passage,
    pick,
    rng,
    sentence,
    word,
)
from words import ADJECTIVES, JOBS, NOUNS

ROOT = Path(__file__).resolve().parents[3]
TITLES = "Tone|Rules|Tools|Style|Safety|Output format|Workflow|Context|Environment|Limits|Tasks|Memory|Examples|Policy|Code style|Git|Testing|Planning|Files|Answers|Language|Notes|Steps|Security|Background|Editing|Review"
RULE = "(Always|Never|You must|You must not|Do not|You should|Please|IMPORTANT: never|When asked,|If the user asks,|Before you answer,|NEVER|Make sure to|Try to|You can|Avoid to)"


def opening():
    return expand(
        f"You are ({made_up().capitalize()}|an AI|a|an expert|the {word()}) (coding agent|assistant|software engineer|agent|helper|{pick(*JOBS)}|expert for {pick(*SUBJECTS)})(| that helps users with {pick(*SUBJECTS)}| of the company {made_up().capitalize()}| running in a terminal| with access to tools)."
    )


def rule():
    return expand(
        f"{RULE} {pick(*ACTIONS).split()[0]} the {pick(*ADJECTIVES)} {pick(*TOPIC_WORDS)}(| of the {pick(*TOPIC_WORDS)}| when the {word()} is {pick(*ADJECTIVES)}| with `{made_up()}`| in {file_name()}| unless the user asks for it)."
    )


def bullets():
    mark = pick("- ", "* ", "{}. ", "  - ")
    return "\n".join(mark.format(index + 1) + pick(rule, rule, sentence)() for index in range(rng.randint(2, 9)))


def tagged():
    tag = pick(*TOPIC_WORDS) + pick("", "_" + pick(*NOUNS))
    return f"<{tag}>\n{pick(bullets, lambda: passage(rng.randint(1, 5)), source, shape)()}\n</{tag}>"


def shape():
    kind = lambda: pick(number, word, code, lambda: chance(0.5), lambda: [word() for _ in range(rng.randint(0, 4))])()
    values = {pick(*PROPERTIES): kind() for _ in range(rng.randint(1, 7))}
    text = json.dumps({made_up(): values, word(): kind()} if chance(0.4) else values, indent=pick(None, 2))
    return pick(text, f"```json\n{text}\n```")


def table():
    rows = [[word() for _ in range(3)] for _ in range(rng.randint(2, 6))]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def definitions():
    return "\n".join(json.dumps(tool) for _, tool, _ in some_tools(rng.randint(1, 4)))


def example():
    return f"{pick('Example', 'User', 'Q', 'user', 'Human')}: {clause()}\n{pick('Answer', 'Assistant', 'A', 'assistant')}: {clause()}"


def noise():
    return " ".join(letters(1, 9) if chance(0.5) else code() for _ in range(rng.randint(5, 60)))


@functools.cache
def documents():
    """Lines of this project's documents and sources."""
    paths = sorted(
        path
        for pattern in ("*.md", "docs/*.md", "src/*/*.ts", "scripts/starter/*/*.py")
        for path in ROOT.glob(pattern)
    )
    return [path.read_text(errors="replace").split("\n") for path in paths if path.name != "held_out.py"]


def source():
    """Some lines of one document."""
    lines = rng.choice(documents())
    start = rng.randrange(len(lines))
    return "\n".join(lines[start : start + rng.randint(3, 60)])


def section():
    title = rng.choice(TITLES.split("|"))
    heading = pick(
        f"# {title}\n", f"## {title}\n\n", f"### {title}\n", f"**{title}**\n", f"{title}:\n", f"{title.upper()}\n", ""
    )
    body = pick(
        bullets,
        bullets,
        tagged,
        source,
        source,
        source,
        shape,
        table,
        example,
        definitions,
        noise,
        lambda: passage(rng.randint(2, 8)),
    )
    return heading + body()


def agent_prompt(characters):
    """About so many characters of a system prompt."""
    parts, length = [opening() if chance(0.9) else sentence()], 0
    while length < characters:
        parts.append(section())
        length += len(parts[-1])
    return "\n\n".join(parts)[: max(characters, 60)]
