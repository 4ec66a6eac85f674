"""Texts and training pairs: python collect.py WORK --perlfaq FOLDER --rust FOLDER --node-modules FOLDER

Reads free documentation that is on this Debian machine, no network. Writes to WORK:

    passages.txt   training passages, one a line
    pairs.jsonl    training pairs (see Pair)
    held.jsonl     pairs of whole documents that were kept out of training
    evaluation.json  questions of perlfaq, pairs of the sources that do not train
    counts.json    what came from where under which licence, and what was refused

A file of Debian counts only when dpkg says which package owns it, that package is in Debian main and its copyright
file does not mention the GFDL.
"""

import argparse
import glob
import json
import os
import random
import re
import zlib
from collections import Counter, defaultdict

from licences import debian_package
from pairs import PairList, Passage, Rarity, add_generated_pairs, add_pairs
from passages import SENTENCE_END, passages
from readers import blocks, one_line, read_text, without_pod
from sources import sources

ROUNDS = 3  # how often pairs are made from each passage, with other sentences hidden and other words varied
EVALUATION_PAIRS = 1500
SHORTEST_PASSAGE = 80  # characters
UNWANTED = "site-packages", "/test", "perlfaq"


def files_of(source):
    """Its files in a fixed order. perlfaq measures; Node's documents are a source of their own."""
    found = {path for pattern in source.patterns for path in glob.glob(pattern, recursive=True)}
    wanted = [path for path in found if os.path.isfile(path) and not any(part in path for part in UNWANTED)]
    files = sorted({os.path.realpath(path) for path in wanted})
    if source.name == "node-doc":
        return files
    return [path for path in files if not path.startswith("/usr/share/doc/nodejs/")]


class Collection:
    """All passages, with who owns them and what was refused."""

    def __init__(self):
        self.passages, self.seen = [], set()
        self.sources, self.packages = {}, defaultdict(lambda: dict(files=0, passages=0, licence=""))
        self.refused = Counter()

    def read(self, source, rng):
        files = files_of(source)
        rng.shuffle(files)
        read, before = 0, len(self.passages)
        for path in files:
            if read >= source.most_files:
                break
            package, licence = (source.package, source.licence) if source.package else debian_package(path)
            if package is None:
                self.refused[licence] += 1
                continue
            read += 1
            self.read_file(source, path, self.packages[source.name, package], licence)
        new = self.passages[before:]
        self.sources[source.name] = dict(
            files=read,
            passages=len(new),
            megabytes=round(sum(len(sentence) for passage in new for sentence in passage.sentences) / 1e6, 2),
            licence=source.licence,
            use="training" if source.is_training else "evaluation only",
        )
        print(source.name, self.sources[source.name], flush=True)

    def read_file(self, source, path, package, licence):
        before = len(self.passages)
        for title, sections in source.read(path):
            for heading, sentences in passages(sections, self.seen):
                if sum(map(len, sentences)) > SHORTEST_PASSAGE:
                    self.passages.append(Passage(source.name, title, heading, sentences))
        package["files"] += 1
        package["passages"] += len(self.passages) - before
        package["licence"] = licence


def is_held_out(passage):
    return zlib.crc32(passage.document.encode()) % 40 == 0


def split(collected, training_sources):
    """Training, held-out and evaluation passages with their numbers; the last two share no sentence with training."""
    numbered = list(enumerate(collected))
    usable = [(number, passage) for number, passage in numbered if passage.source in training_sources]
    training = [(number, passage) for number, passage in usable if not is_held_out(passage)]
    sentences = {sentence for _, passage in training for sentence in passage.sentences}

    def is_new(passage):
        return not any(sentence in sentences for sentence in passage.sentences)

    held = [(number, passage) for number, passage in usable if is_held_out(passage) and is_new(passage)]
    others = [(number, passage) for number, passage in numbered if passage.source not in training_sources]
    return training, held, [(number, passage) for number, passage in others if is_new(passage)], sentences


def perlfaq(folder, training_sentences):
    """The real questions of perlfaq and the passages of their answers: a question may have several right passages."""
    texts, questions, answers = [], [], []
    for path in sorted(glob.glob(os.path.join(folder, "perlfaq[1-9].pod"))):
        for part in re.split(r"^=head2\s+", read_text(path), flags=re.MULTILINE)[1:]:
            question, body = part.split("\n", 1)
            question = without_pod(question).strip()
            body = re.split(r"^=head1", body, flags=re.MULTILINE)[0]
            prose = [block for block in blocks(body) if block[:1] not in ("", "=", " ", "\t")]
            prose = [block for block in prose if not block.startswith("(contributed by")]
            sections = [("", one_line(without_pod(block))) for block in prose]
            answer = [" ".join(sentences) for _, sentences in passages(sections, set())]
            if answer and (question.endswith("?") or len(question.split()) > 3):
                questions.append(question)
                answers.append(list(range(len(texts), len(texts) + len(answer))))
                texts += answer
    known = {
        number
        for number, text in enumerate(texts)
        if any(sentence in training_sentences for sentence in SENTENCE_END.split(text))
    }
    kept = [index for index, numbers in enumerate(answers) if not known.intersection(numbers)]
    return dict(
        questions=[questions[index] for index in kept], passages=texts, answers=[answers[index] for index in kept]
    )


def evaluation_pairs(chosen, seed, rarity):
    found = PairList()
    add_pairs(found, chosen, random.Random(seed), rarity)
    random.Random(seed + 1).shuffle(found)
    return found


def training_pairs(training, first_id, rng, rarity):
    found = PairList()
    add_pairs(found, training, rng, rarity)
    for number in range(1, ROUNDS):
        add_pairs(found, training, random.Random(100 + number), rarity, is_first_round=False)
    add_generated_pairs(found, first_id, rng)
    rng.shuffle(found)
    return found


def write_lines(path, pairs):
    with open(path, "w") as file:
        file.writelines(json.dumps(pair) + "\n" for pair in pairs)


def write_json(path, value, **options):
    with open(path, "w") as file:
        json.dump(value, file, **options)


def packages_used(collection, training_sources):
    found = sorted((key, counts) for key, counts in collection.packages.items() if key[0] in training_sources)
    return [dict(source=source, package=package, **counts) for (source, package), counts in found]


def main(work, perlfaq_folder, rust, node_modules):
    os.makedirs(work, exist_ok=True)
    rng, collection, all_sources = random.Random(7), Collection(), sources(rust, node_modules)
    for source in all_sources:
        collection.read(source, rng)
    training_sources = {source.name for source in all_sources if source.is_training}
    training, held, others, sentences = split(collection.passages, training_sources)
    texts = [passage.text for _, passage in training]
    rarity = Rarity(texts)
    pairs = training_pairs(training, len(collection.passages), rng, rarity)
    held_pairs, dropped = evaluation_pairs(held, 8, rarity), evaluation_pairs(others, 10, rarity)
    questions = perlfaq(perlfaq_folder, sentences)

    write_lines(os.path.join(work, "pairs.jsonl"), pairs)
    write_lines(os.path.join(work, "held.jsonl"), held_pairs)
    with open(os.path.join(work, "passages.txt"), "w") as file:
        file.write("\n".join(texts))
    write_json(os.path.join(work, "evaluation.json"), dict(perlfaq=questions, dropped=dropped[:EVALUATION_PAIRS]))
    counts = dict(
        sources=collection.sources,
        training=dict(passages=len(texts), pairs=len(pairs), kinds=pairs.kinds()),
        held_out=dict(passages=len(held), pairs=len(held_pairs), kinds=held_pairs.kinds()),
        perlfaq=dict(questions=len(questions["questions"]), passages=len(questions["passages"])),
        dropped=dict(passages=len(others), pairs=len(dropped)),
        packages=packages_used(collection, training_sources),
        refused=dict(collection.refused.most_common()),
    )
    write_json(os.path.join(work, "counts.json"), counts, indent=1)
    print({name: counts[name] for name in ("training", "held_out", "perlfaq", "dropped")})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("work")
    parser.add_argument("--perlfaq", required=True, help="folder of perlfaq1.pod to perlfaq9.pod (package perl-doc)")
    parser.add_argument("--rust", required=True, help="HTML documentation of Rust (share/doc/rust/html)")
    parser.add_argument("--node-modules", required=True, help="folder of globally installed npm packages")
    arguments = parser.parse_args()
    main(arguments.work, arguments.perlfaq, arguments.rust, arguments.node_modules)
