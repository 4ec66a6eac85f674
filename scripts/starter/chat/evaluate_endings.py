"""Do answers end by themselves after agents' system prompts? Temperature 1, nothing cut from the distribution.

    python evaluate_endings.py --base-url http://127.0.0.1:8080/v1 [--key KEY] [--texts FOLDER]

System prompts are put together from texts that were never trained on: the documents and typings of the packages below
FOLDER. Each is shared by many questions, so a server that keeps prompts reads it once.
"""

import argparse
import json
import random
import time
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import held_out
from evaluate import messages
from evaluation_tasks import questions

ROOT = Path(__file__).resolve().parents[3]
CATEGORIES = "unknown repeat json reading memory fact how_to summary definition too_much".split()
OPENING = (
    "You are {}, an agent that works for the user in a terminal. Follow the rules and use what stands below.\n\n"
)
TAGS = "rules context documentation environment instructions reference examples policies".split()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base-url", default="http://127.0.0.1:8080/v1")
    parser.add_argument("--key", default="")
    parser.add_argument("--model", default="inferd/starter-chat")
    parser.add_argument("--texts", default=str(ROOT / "node_modules"))
    parser.add_argument("--prompts", type=int, default=50)
    parser.add_argument("--n", type=int, default=40, help="questions after each prompt")
    parser.add_argument("--limit", type=int, default=400, help="tokens of an answer")
    parser.add_argument("--temperature", type=float, default=1)
    parser.add_argument("--parallel", type=int, default=4)
    parser.add_argument("--template-kwargs", action="store_true", help="send chat_template_kwargs.enable_thinking")
    return parser.parse_args()


def system_prompt(rng, paths, characters):
    parts, length = [OPENING.format(rng.choice(["Atlas", "an expert", "Nova"]))], 0
    while length < characters:
        text = rng.choice(paths).read_text(errors="replace")
        start = rng.randrange(max(1, len(text) - 1000))
        text, tag = text[start : start + rng.randint(300, 4000)], rng.choice(TAGS)
        parts.append(
            rng.choice([f"<{tag}>\n{text}\n</{tag}>\n", f"# {tag.capitalize()}\n\n{text}\n", f"```\n{text}\n```\n"])
        )
        length += len(parts[-1])
    return "\n".join(parts)[:characters]


def asked(count):
    """Held-out questions of every kind, as lists of messages."""
    plain = [*sum(held_out.GREETING.values(), []), *sum(held_out.IDENTITY.values(), []), *held_out.UNKNOWN]
    lists = [[{"role": "user", "content": question}] for question in plain]
    for category in CATEGORIES:
        fragments = questions(category, count // len(CATEGORIES))
        lists += [[part for part in messages(fragment) if part["role"] != "system"] for fragment in fragments]
    return lists


def ask(options, sent):
    """(finish reason, tokens of the prompt, tokens of the answer, the answer)."""
    body = {
        "model": options.model,
        "messages": sent,
        "temperature": options.temperature,
        "top_p": 1,
        "top_k": 0,
        "min_p": 0,
        "max_tokens": options.limit,
    }
    if options.template_kwargs:
        body["chat_template_kwargs"] = {"enable_thinking": False}
    headers = {"content-type": "application/json"} | (
        {"authorization": f"Bearer {options.key}"} if options.key else {}
    )
    request = urllib.request.Request(
        f"{options.base_url.rstrip('/')}/chat/completions", json.dumps(body).encode(), headers
    )
    reply = json.load(urllib.request.urlopen(request, timeout=600))
    choice, usage = reply["choices"][0], reply["usage"]
    text = choice["message"].get("content") or ""
    return choice["finish_reason"], usage["prompt_tokens"], usage["completion_tokens"], text


def main():
    options, rng, began = arguments(), random.Random("endings"), time.time()
    paths = sorted(
        path for pattern in ("*.md", "*.d.ts") for path in Path(options.texts).rglob(pattern) if path.is_file()
    )
    pool_of_questions = asked(options.prompts * options.n // 2)
    replies = []
    for index in range(options.prompts):
        # From 1,000 to 14,000 tokens of about two characters each.
        prompt = system_prompt(rng, paths, int(2.1 * (1000 + 13000 * index / max(1, options.prompts - 1))))
        system = {"role": "system", "content": prompt}
        batch = [[system, *sent] for sent in rng.sample(pool_of_questions, options.n)]
        with ThreadPoolExecutor(options.parallel) as pool:
            some = list(pool.map(lambda sent: ask(options, sent), batch))
        replies += some
        over = sum(reply[0] == "length" for reply in some)
        print(f"{some[0][1]} tokens: {over} of {len(some)} did not end, {time.time() - began:.0f} s", flush=True)
        for reason, _, tokens, text in some:
            if reason == "length":
                print("   ", repr(text[:150]), "…", repr(text[-80:]))
    reasons, lengths = Counter(reply[0] for reply in replies), sorted(reply[2] for reply in replies)
    ended = 1 - reasons["length"] / len(replies)
    print(f"{ended:.2%} of {len(replies)} ended by themselves: {dict(reasons)}")
    print(
        f"tokens of an answer: median {lengths[len(lengths) // 2]}, 99 of 100 below {lengths[int(0.99 * len(lengths))]}"
    )
    print(f"tokens of the prompts: {min(reply[1] for reply in replies)} to {max(reply[1] for reply in replies)}")


if __name__ == "__main__":
    main()
