"""Which phonemes each letter of a word stands for, found by counting.

A letter stands for a chunk of none to three phonemes. Chunks that a letter often had make the next split cheaper
(expectation maximisation with the single best split of each word).
"""

import math
import random
from collections import Counter, defaultdict

CHARACTERS = list(" abcdefghijklmnopqrstuvwxyz',-;0123456789.:?!")  # the synthesizer's input; place is id
_FIRST_COST = {0: 2.0, 1: 0.0, 2: 4.0, 3: 8.0}  # by length of the chunk, before anything was counted
ROUNDS, WORDS_OF_ROUND = 5, 3000


def split(word, phonemes, cost, evenness):
    """-> a chunk for each letter, the cheapest way; None if there are more than three phonemes a letter"""
    letters, count = len(word), len(phonemes)
    costs, taken = [[math.inf] * (count + 1) for _ in range(letters + 1)], {}
    costs[0][0] = 0
    for at, letter in enumerate(word):
        for used in range(count + 1):
            if costs[at][used] == math.inf:
                continue
            for length in range(min(3, count - used) + 1):
                now = used + length
                uneven = evenness * abs((at + 1) / letters - now / count)
                total = costs[at][used] + cost(letter, phonemes[used:now]) + uneven
                if total < costs[at + 1][now]:
                    costs[at + 1][now], taken[at + 1, now] = total, length
    if costs[letters][count] == math.inf:
        return None
    chunks, end = [], count
    for at in range(letters, 0, -1):
        length = taken[at, end]
        chunks.append(tuple(phonemes[end - length : end]))
        end -= length
    return chunks[::-1]


def cost_of(counts):
    totals = {letter: sum(chunks.values()) for letter, chunks in counts.items()}

    def cost(letter, chunk):
        share = (counts[letter][chunk] + 0.02 * 0.3 ** len(chunk)) / (totals.get(letter, 0) + 1)
        return -math.log(share) + (0.3 if len(chunk) > 1 else 0)

    return cost


class Splitter:
    def __init__(self, words):
        """`words`: pairs of a word and its phonemes, each once"""
        rng, cost, evenness = random.Random(0), lambda _, chunk: _FIRST_COST[len(chunk)], 3.0
        for number in range(ROUNDS):
            last = number == ROUNDS - 1
            counts = defaultdict(Counter)
            for word, phonemes in words if last else rng.sample(words, min(WORDS_OF_ROUND, len(words))):
                for letter, chunk in zip(word, split(word, phonemes, cost, evenness) or []):
                    counts[letter][chunk] += 1
            cost, evenness = cost_of(counts), 0.5
        self.cost, self.evenness, self.found = cost, evenness, {}
        chunks = Counter()
        for of_letter in counts.values():
            chunks.update(of_letter)
        self.chunks = [(), *(chunk for chunk, count in chunks.most_common() if chunk and count >= 3)]
        self.known = set(self.chunks)

    def chunks_of(self, word, phonemes):
        """None for a word that cannot be split into known chunks"""
        key = word, phonemes
        if key not in self.found:
            chunks = split(word, phonemes, self.cost, self.evenness) if phonemes else [()] * len(word)
            self.found[key] = chunks if chunks is not None and self.known.issuperset(chunks) else None
        return self.found[key]
