"""Tool calls: choose a tool and its arguments, answer from its result, or leave tools alone."""

import json

from tasks_chat import greeting, identity, too_much
from tasks_knowledge import definition, fact
from tasks_memory import memory
from tasks_numbers import small_sum
from tasks_text import repeat
from tasks_unknown import unknown
from tool_catalogue import some_tools
from turns import answer, tool_result, user
from values import chance, city, clock, name, number, pick, rng, sentence, word

RESULT_VALUES = {
    "temperature": lambda: rng.randint(-9, 39),
    "condition": lambda: pick("sunny", "cloudy", "rainy", "windy", "snowy"),
    "price": number,
    "status": lambda: pick("ok", "done", "failed", "open", "ready"),
    "id": number,
    "count": number,
    "time": clock,
    "total": number,
    "name": name,
    "city": city,
    "rate": number,
    "state": lambda: pick("on", "off", "open", "closed"),
    "result": number,
    "value": word,
    "owner": name,
    "level": lambda: rng.randint(0, 99),
    "title": word,
}


def call(tool_name, arguments):
    return {"name": tool_name, "arguments": arguments}


def result():
    """What a tool returns, and how the model passes it on."""
    if chance(0.2):
        text = pick(lambda: str(number()), sentence, lambda: "ok", word)()
        return text, text
    values = {key: RESULT_VALUES[key]() for key in rng.sample(list(RESULT_VALUES), pick(1, 1, 2, 2, 3))}
    return (
        json.dumps(values),
        ", ".join(
            f"{'The' if not index else 'the'} {key} is {value}" for index, (key, value) in enumerate(values.items())
        )
        + ".",
    )


def no_tool_needed():
    fragment = pick(fact, greeting, repeat, definition, identity, memory, too_much, small_sum, unknown)()
    for turn in fragment["turns"]:
        if turn["role"] == "assistant":
            turn["think"] = ("No tool is needed. " + turn["think"]).strip()
    return fragment["turns"]


def parallel_calls(tools):
    first, second = rng.choice(tools), rng.choice(tools)
    (request, arguments), (other_request, other_arguments) = first[2](), second[2]()
    if first is second and arguments == other_arguments:
        return single_call(tools)
    joined = (
        request.rstrip("?.")
        + pick(" and ", ", and also ", ". Then ", " and then ")
        + other_request[0].lower()
        + other_request[1:]
    )
    calls = [call(first[0], arguments), call(second[0], other_arguments)]
    think = f"I need {first[0]} and {second[0]}." if first is not second else f"I need {first[0]} two times."
    turns = [user(joined), answer("", think, calls)]
    if chance(0.4):
        (content, said), (other_content, other_said) = result(), result()
        turns += [
            tool_result(content),
            tool_result(other_content),
            answer(said + "\n" + other_said, "I have both results."),
        ]
    return turns


def single_call(tools, result_share=0.45):
    tool_name, _, use = rng.choice(tools)
    request, arguments = use()
    turns = [user(request), answer("", f"I need {tool_name}.", [call(tool_name, arguments)])]
    if chance(result_share):
        content, said = result()
        turns += [tool_result(content), answer(said, "The tool answered.")]
    return turns


def tool_use():
    """Several requests over one set of tools: the definitions are long, so each set serves often."""
    tools = some_tools(pick(1, 1, 2, 2, 2, 3, 4))
    turns = []
    for _ in range(pick(1, 2, 2, 3, 4)):
        draw = rng.random()
        if turns and turns[-1].get("tool_calls"):
            content, said = result()
            turns += (
                [tool_result(content), answer(said, "The tool answered.")]
                if len(turns[-1]["tool_calls"]) == 1
                else [tool_result(content), tool_result(content), answer(said + "\n" + said, "I have both results.")]
            )
        turns += no_tool_needed() if draw < 0.18 else parallel_calls(tools) if draw < 0.36 else single_call(tools)
    fragment = {"turns": turns, "tools": [shape for _, shape, _ in tools]}
    if chance(0.2):
        fragment["system"] = pick(
            "Use the tools when they help.", "You are a helpful assistant with tools.", "You can use tools."
        )
    return fragment
