"""Conversations as the text the model reads: the same as template.jinja, split into weighted parts.

Every answer has a think block, empty unless the model thinks and the answer comes after the last
user message. So an answer looks the same while it is given and later in the history, and each one
can be learned from. check_template.py compares this with the template itself.
"""

import json

EMPTY_THINK = "<think>\n\n</think>\n\n"


def tools_text(system, tools):
    listed = "".join(json.dumps(tool["function"], ensure_ascii=False) + "\n" for tool in tools)
    return (system + "\n\n" if system is not None else "") + f"Tools you can call:\n<tools>\n{listed}</tools>"


def calls_text(calls):
    return "\n".join(
        '<tool_call>\n{"name": "%s", "arguments": %s}\n</tool_call>'
        % (call["name"], json.dumps(call["arguments"], ensure_ascii=False))
        for call in calls
    )


def render(fragment):
    """A list of (text, weight): weight 0 is context, the rest is learned, more where a turn says so."""
    parts = []
    turns, system, tools = fragment["turns"], fragment.get("system"), fragment.get("tools")
    if tools:
        parts.append((f"<|im_start|>system\n{tools_text(system, tools)}<|im_end|>\n", 0))
    elif system is not None:
        parts.append((f"<|im_start|>system\n{system}<|im_end|>\n", 0))
    last_user = max(index for index, turn in enumerate(turns) if turn["role"] == "user")
    for index, turn in enumerate(turns):
        if turn["role"] == "user":
            parts.append((f"<|im_start|>user\n{turn['content']}<|im_end|>\n", 0))
        elif turn["role"] == "tool":
            opening = "<|im_start|>user" if turns[index - 1]["role"] != "tool" else ""
            closing = "<|im_end|>\n" if index + 1 == len(turns) or turns[index + 1]["role"] != "tool" else ""
            parts.append((f"{opening}\n<tool_response>\n{turn['content']}\n</tool_response>{closing}", 0))
        else:
            parts.append(("<|im_start|>assistant\n", 0))
            if fragment.get("thinking") and index > last_user and turn.get("think"):
                parts.append((f"<think>\n{turn['think']}\n</think>\n\n", 1))
            else:
                parts.append((EMPTY_THINK, 0))
            body = turn["content"]
            if turn.get("tool_calls"):
                body += ("\n" if body else "") + calls_text(turn["tool_calls"])
            parts.append((body + "<|im_end|>", turn.get("weight", 1)))
            parts.append(("\n", 0))
    return parts
