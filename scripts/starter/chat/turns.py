"""The shape of a conversation fragment.

A fragment is a dictionary with `turns`, and sometimes `system` and `tools`. A turn has `role` and
`content`; an answer may have `think` (its reasoning) and `tool_calls`.
"""


def user(content):
    return {"role": "user", "content": content}


def answer(content, think="", tool_calls=None):
    turn = {"role": "assistant", "content": content, "think": think}
    if tool_calls:
        turn["tool_calls"] = tool_calls
    return turn


def tool_result(content):
    return {"role": "tool", "content": content}


def exchange(question, reply, think="", **rest):
    """One question and its answer."""
    return dict(turns=[user(question), answer(reply, think)], **rest)
