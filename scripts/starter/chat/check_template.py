"""Compares rendering.py with template.jinja on 400 random conversations, and tries the odd inputs.

python check_template.py
"""

import json
from pathlib import Path

import jinja2

import values
from conversation import conversation
from rendering import EMPTY_THINK, render


def load_template():
    environment = jinja2.Environment()
    environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    return environment.from_string((Path(__file__).parent / "template.jinja").read_text())


def api_messages(fragment):
    """The fragment as a client sends it, with reasoning where the model thought."""
    sent = [{"role": "system", "content": fragment["system"]}] if "system" in fragment else []
    last_user = max(index for index, turn in enumerate(fragment["turns"]) if turn["role"] == "user")
    for index, turn in enumerate(fragment["turns"]):
        message = {"role": turn["role"], "content": turn["content"]}
        if turn["role"] == "assistant" and turn.get("think"):
            # Reasoning before the last user message is sent too: the template must drop it.
            if fragment["thinking"] or index < last_user:
                message["reasoning_content"] = turn["think"]
        if turn.get("tool_calls"):
            message["content"] = turn["content"] or None
            message["tool_calls"] = [{"type": "function", "function": call} for call in turn["tool_calls"]]
        sent.append(message)
    return sent


def compare(template, count=400):
    values.rng.seed(99)
    for _ in range(count):
        fragment = conversation()
        expected = "".join(text for text, _ in render(fragment))
        sent = api_messages(fragment)
        got = template.render(messages=sent, tools=fragment.get("tools"))
        assert got == expected, f"rendered\n{expected}\nby the template\n{got}"
        prompt = template.render(
            messages=sent[:-1], tools=fragment.get("tools"), add_generation_prompt=True, enable_thinking=False
        )
        if not fragment["thinking"]:
            assert expected.startswith(prompt), f"the prompt is not a beginning of the conversation\n{prompt}"
    print(f"{count} conversations rendered alike")


def odd_inputs(template):
    start, end = "<|im_start|>", "<|im_end|>\n"
    hello = {"role": "user", "content": "hi"}
    prompt = lambda *messages, **rest: template.render(messages=list(messages), add_generation_prompt=True, **rest)
    assert prompt(hello) == f"{start}user\nhi{end}{start}assistant\n"
    assert prompt(hello, enable_thinking=True) == prompt(hello)
    assert prompt(hello, enable_thinking=False) == prompt(hello) + EMPTY_THINK
    assert prompt(
        {"role": "user", "content": [{"type": "text", "text": "h"}, {"type": "text", "text": "i"}]}
    ) == prompt(hello)
    assert prompt({"role": "user", "content": None}) == f"{start}user\n{end}{start}assistant\n"
    assert prompt({"role": "developer", "content": "d"}, hello) == prompt({"role": "system", "content": "d"}, hello)
    late = prompt(
        hello, {"role": "system", "content": "late"}, tools=[{"type": "function", "function": {"name": "f"}}]
    )
    assert f"{start}system\nlate{end}" in late and late.startswith(f"{start}system\nTools you can call:\n<tools>\n")
    written = {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": '{"a": 1}'}}]}
    parsed = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {"a": 1}}}]}
    assert prompt(hello, written) == prompt(hello, parsed)
    inline = {"role": "assistant", "content": "<think>\nsecret\n</think>\n\nok"}
    assert "secret" not in prompt(hello, inline, hello) and "secret" in prompt(hello, inline)
    print("odd inputs as expected")


if __name__ == "__main__":
    compare(load_template())
    odd_inputs(load_template())
