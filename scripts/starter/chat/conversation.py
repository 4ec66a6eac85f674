"""The mix of tasks and whole conversations.

A short task is chained with others, so that most conversations hold several supervised answers.
Weights follow what people try first on a new server, not how hard the tasks are.
"""

from tasks_chat import greeting, how_to, identity, long_text, refusal, short_list, too_much, unclear
from tasks_knowledge import definition, fact
from tasks_memory import memory, memory_of_name
from prompts import agent_prompt
from tasks_numbers import compare, count, large_sum, next_number, small_sum
from tasks_reading import json_from_text, json_from_values, reading, summary
from tasks_system import PLAIN, system_prompt
from tasks_text import bullet_list, nth_word, repeat
from tasks_tools import no_tool_needed, single_call, tool_use
from tasks_unknown import unknown
from values import chance, pick, rng
from vision.task import picture

# Task and weight.
TASKS = {
    "greeting": (greeting, 22),
    "identity": (identity, 20),
    "how_to": (how_to, 6),
    "refusal": (refusal, 3),
    "too_much": (too_much, 6),
    "unclear": (unclear, 1),
    "short_list": (short_list, 1),
    "repeat": (repeat, 18),
    "nth": (nth_word, 5),
    "list": (bullet_list, 3),
    "count": (count, 4),
    "small_sum": (small_sum, 30),
    "large_sum": (large_sum, 2),
    "unknown": (unknown, 28),
    "compare": (compare, 1),
    "next_number": (next_number, 1),
    "fact": (fact, 13),
    "definition": (definition, 4),
    "reading": (reading, 9),
    "summary": (summary, 4),
    "json": (json_from_text, 13),
    "json_values": (json_from_values, 6),
    "memory": (memory, 6),
    "memory_name": (memory_of_name, 8),
    "system": (system_prompt, 12),
    "tools": (tool_use, 34),
    "picture": (lambda: picture(aside), 10),
}
WHOLE = ("picture", "system", "tools", "memory", "memory_name")
CHAINED = [task for task in TASKS if task not in WHOLE]
THINKING_SHARE = 0.4


def aside():
    """Other things that come between a picture and a question about it."""
    while True:
        turns = sample(drawn(CHAINED))["turns"]
        if all("no picture" not in turn["content"] for turn in turns):
            return turns


def sample(task):
    return TASKS[task][0]()


def drawn(tasks):
    return rng.choices(tasks, [TASKS[task][1] for task in tasks])[0]


def conversation():
    """One training conversation with `thinking` set."""
    task = drawn(list(TASKS))
    fragment = sample(task)
    if task in CHAINED:
        for _ in range(pick(0, 1, 2, 3, 4, 6)):
            fragment["turns"] += sample(drawn(CHAINED))["turns"]
    if "system" not in fragment and chance(0.2):
        fragment["system"] = pick(*PLAIN) if chance(0.6) else agent_prompt(rng.choice((80, 150, 300, 600, 1000)))
    fragment["thinking"] = chance(THINKING_SHARE)
    return fragment


def long_conversation(characters):
    """Many tasks and some very long messages in a row: keeps answers short, and ending, far into the context."""
    fragment = {"turns": [], "thinking": False}
    if chance(0.3):
        fragment["system"] = pick(*PLAIN)
    length = 0
    while length < characters:
        turns = long_text()["turns"] if chance(0.08) else sample(drawn(CHAINED + ["memory_name"]))["turns"]
        fragment["turns"] += turns
        length += sum(len(turn["content"]) for turn in turns)
    return fragment


def tail(tools):
    """A conversation that follows a long system prompt, whose tools it may use."""
    fragment = {"turns": [], "thinking": chance(0.2)}
    for _ in range(pick(1, 1, 1, 2, 3)):
        if tools and chance(0.5):
            fragment["turns"] += single_call(tools)
        else:
            fragment["turns"] += no_tool_needed() if tools else sample(drawn(CHAINED))["turns"]
    return fragment
