"""The held-out questions of evaluate.py, by category.

The last turn of each is the right answer; a tuple stands for any answer that begins with one of its entries.
"""

import held_out
import values
from answers import GREETING, HOW_TO, IDENTITY
from conversation import sample
from tasks_chat import fixed, long_text
from tasks_numbers import OPERATIONS, SUM_QUESTIONS
from tasks_text import REPEAT, quoted
from tasks_tools import no_tool_needed, parallel_calls, single_call
from tasks_unknown import REFUSALS
from tool_catalogue import EVERYDAY, some_tools
from turns import exchange
from values import expand, passage, pick, rng, sentence, words

PLAIN_TASKS = (
    "greeting",
    "identity",
    "how_to",
    "refusal",
    "too_much",
    "unclear",
    "short_list",
    "repeat",
    "memory_name",
    "memory",
    "json",
    "json_values",
    "reading",
    "summary",
    "count",
    "small_sum",
    "large_sum",
    "unknown",
    "fact",
    "definition",
    "system",
    "nth",
    "list",
)


def long_repeat():
    text = pick(lambda: passage(rng.randint(2, 4)), lambda: " ".join(words(12, 30)), sentence)()
    question = expand(rng.choice(REPEAT).replace("{}", "\0")).replace("\0", quoted(text))
    return exchange(question, text)


def with_tools(make_turns, everyday=False):
    def task():
        count = pick(1, 2, 2, 3)
        tools = (
            [tool() for tool in rng.sample(sorted(set(EVERYDAY), key=lambda tool: tool.__name__), count)]
            if everyday
            else some_tools(count)
        )
        return {"turns": make_turns(tools), "tools": [shape for _, shape, _ in tools]}

    return task


def answer_from_result(tools):
    return single_call(tools, result_share=1)


CATEGORIES = {task: (lambda task=task: sample(task)) for task in PLAIN_TASKS} | {
    "how_to, unseen wording": fixed("how_to", HOW_TO, "unseen"),
    "repeat, long": long_repeat,
    "long text declined": long_text,
    "tools: unseen tool": with_tools(lambda tools: single_call(tools, result_share=0)),
    "tools: everyday tool": with_tools(lambda tools: single_call(tools, result_share=0), everyday=True),
    "tools: answer from result": with_tools(answer_from_result),
    "tools: none needed": with_tools(lambda tools: no_tool_needed()),
    "tools: two calls": with_tools(parallel_calls),
}


def unseen(entries, wordings):
    """Every held-out wording of a table of fixed answers, once."""
    replies = {tuple(questions): reply for _, questions, reply in entries}
    old = held_out.GREETING | held_out.IDENTITY
    return lambda: [
        exchange(question, replies[tuple(old[label])]) for label in wordings for question in wordings[label]
    ]


def every_sum(forms):
    """Each of the 441 sums of numbers up to 20 once, asked in any of the forms."""

    def fragments():
        for left in range(21):
            for right in range(21):
                shown = rng.choice(OPERATIONS["+"][0][:5]).format(left, right)
                yield exchange(rng.choice(forms).format(shown), f"{left} + {right} = {left + right}")

    return fragments


# Categories of fixed questions, each asked once.
LISTS = {
    "greeting, unseen wording": unseen(GREETING, held_out.GREETING),
    "identity, unseen wording": unseen(IDENTITY, held_out.IDENTITY),
    "sums up to 20": every_sum(SUM_QUESTIONS),
    "sums up to 20, unseen wording": every_sum(held_out.SUMS),
    "unknown questions": lambda: [exchange(question, REFUSALS) for question in held_out.UNKNOWN],
    "fresh: greeting": unseen(GREETING, held_out.FRESH_GREETING),
    "fresh: identity": unseen(IDENTITY, held_out.FRESH_IDENTITY),
    "fresh: unknown questions": lambda: [exchange(question, REFUSALS) for question in held_out.FRESH_UNKNOWN],
}


def questions(category, count):
    """The same questions for everyone: the seed is the category's name."""
    values.settings.held_out = True
    values.rng.seed("evaluation of " + category)
    if category in LISTS:
        return list(LISTS[category]())
    return [CATEGORIES[category]() for _ in range(count)]
