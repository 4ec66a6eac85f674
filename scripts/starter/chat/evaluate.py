"""Exact-match accuracy on held-out questions, through any OpenAI-style server.

    python evaluate.py --base-url http://127.0.0.1:8080/v1 [--key KEY] [--model MODEL]

Names, cities, words and tool nouns are held out of training; facts and fixed answers are a closed set,
for which "unseen wording" asks in words that were not trained (held_out.py). Temperature 0. A server where thinking
is on by default needs --template-kwargs, which asks for it to be off (or on, with --think).
"""

import argparse
import json
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from evaluation_tasks import CATEGORIES, LISTS, questions


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base-url", default="http://127.0.0.1:8080/v1")
    parser.add_argument("--key", default="")
    parser.add_argument("--model", default="inferd/starter-chat")
    parser.add_argument("--n", type=int, default=40, help="questions in each category")
    parser.add_argument("--categories", default="", help="comma-separated beginnings of category names")
    parser.add_argument("--template-kwargs", action="store_true", help="send chat_template_kwargs.enable_thinking")
    parser.add_argument("--think", action="store_true", help="with --template-kwargs: ask for thinking")
    parser.add_argument("--no-tools", action="store_true", help="leave out the tool categories")
    parser.add_argument("--parallel", type=int, default=2)
    parser.add_argument("--max-tokens", type=int, default=300)
    parser.add_argument("--show", type=int, default=0, help="wrong answers to print in each category")
    return parser.parse_args()


def messages(fragment):
    """Everything before the right answer, as API messages."""
    sent = [{"role": "system", "content": fragment["system"]}] if fragment.get("system") else []
    open_calls = []
    for index, turn in enumerate(fragment["turns"][:-1]):
        message = {"role": turn["role"], "content": turn["content"]}
        if turn.get("tool_calls"):
            open_calls = [f"call{index}x{position}" for position in range(len(turn["tool_calls"]))]
            message["tool_calls"] = [
                {
                    "id": label,
                    "type": "function",
                    "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])},
                }
                for label, call in zip(open_calls, turn["tool_calls"])
            ]
        if turn["role"] == "tool":
            message["tool_call_id"] = open_calls.pop(0)
        sent.append(message)
    return sent


def ask(options, fragment):
    """(message, finish reason); an error of the server counts as a wrong answer."""
    body = {
        "model": options.model,
        "messages": messages(fragment),
        "temperature": 0,
        "max_tokens": options.max_tokens,
    }
    if fragment.get("tools"):
        body["tools"] = fragment["tools"]
    if options.template_kwargs:
        body["chat_template_kwargs"] = {"enable_thinking": options.think}
    headers = {"content-type": "application/json"}
    if options.key:
        headers["authorization"] = "Bearer " + options.key
    request = urllib.request.Request(
        options.base_url.rstrip("/") + "/chat/completions", json.dumps(body).encode(), headers
    )
    try:
        choice = json.load(urllib.request.urlopen(request, timeout=300))["choices"][0]
        return choice["message"], choice["finish_reason"]
    except urllib.error.HTTPError as error:
        return {"content": "", "error": error.read().decode()[:300]}, "error"


def calls_of(message):
    try:
        return [
            (call["function"]["name"], json.loads(call["function"]["arguments"]))
            for call in message.get("tool_calls") or []
        ]
    except ValueError:
        return None


def right(expected, message):
    wanted = [(call["name"], call["arguments"]) for call in expected.get("tool_calls", [])]
    if calls_of(message) != wanted:
        return False
    given, fitting = (message.get("content") or "").strip(), expected["content"]
    if wanted or isinstance(fitting, tuple):
        return bool(wanted) or given.startswith(fitting)
    return given == fitting.strip()


def main():
    options = arguments()
    prefixes = [prefix for prefix in options.categories.split(",") if prefix]
    chosen = [name for name in (*CATEGORIES, *LISTS) if not prefixes or name.startswith(tuple(prefixes))]
    if options.no_tools:
        chosen = [name for name in chosen if not name.startswith("tools")]
    began, total, correct, stopped, names_right = time.time(), 0, 0, 0, 0
    print("| category | n | right |\n| --- | ---: | ---: |")
    for category in chosen:
        asked = questions(category, options.n)
        with ThreadPoolExecutor(options.parallel) as pool:
            replies = list(pool.map(lambda fragment: ask(options, fragment), asked))
        marks = [right(fragment["turns"][-1], message) for fragment, (message, _) in zip(asked, replies)]
        print(f"| {category} | {len(marks)} | {sum(marks) / len(marks):.0%} |", flush=True)
        if category == "tools: unseen tool":
            names_right = sum(
                bool(calls := calls_of(message)) and calls[0][0] == fragment["turns"][-1]["tool_calls"][0]["name"]
                for fragment, (message, _) in zip(asked, replies)
            )
            print(f"| {category}, name alone | {len(marks)} | {names_right / len(marks):.0%} |")
        total, correct = total + len(marks), correct + sum(marks)
        stopped += sum(reason in ("stop", "tool_calls") for _, reason in replies)
        wrong = [(fragment, message) for fragment, (message, _), mark in zip(asked, replies, marks) if not mark]
        for fragment, message in wrong[: options.show]:
            expected = fragment["turns"][-1]
            print(
                "   asked",
                repr(fragment["turns"][-2]["content"])[:300],
                "\n   right",
                expected.get("tool_calls") or repr(expected["content"])[:200],
                "\n   given",
                calls_of(message) or repr(message.get("content") or message),
            )
    print(f"| all | {total} | {correct / total:.0%} |")
    print(f"\nStopped by itself: {stopped} of {total}. {time.time() - began:.0f} s.")


if __name__ == "__main__":
    main()
