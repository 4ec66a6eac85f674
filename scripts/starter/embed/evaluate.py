"""Figures of ONNX files on the sets of evaluation_sets.py:

    python evaluate.py WORK embedder MODEL TOKENIZER
    python evaluate.py WORK reranker MODEL TOKENIZER --embedder MODEL [--questions 300]

`embedder` prints BM25 too. A model with an output `sentence_embedding` pools by itself; it gets no special tokens and
no unknown pieces, as static embedders want it. `reranker` reorders the 20 nearest passages of the embedder.
"""

import argparse

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from evaluation_sets import evaluation_sets, retrieval
from ranking import bm25, figures, ranks, unit

LONGEST = 512
BATCH = 16
RERANKED = 20


def session_of(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def run_in_batches(session, columns):
    """(numbers, mask, output) of batches of similar length; `columns` maps the inputs to rows of ids."""
    rows = columns["input_ids"]
    order = sorted(range(len(rows)), key=lambda number: len(rows[number]))
    for at in range(0, len(order), BATCH):
        numbers = order[at : at + BATCH]
        shape = len(numbers), max(len(rows[number]) for number in numbers)
        inputs = {name: np.zeros(shape, np.int64) for name in [*columns, "attention_mask"]}
        for place, number in enumerate(numbers):
            length = len(rows[number])
            inputs["attention_mask"][place, :length] = 1
            for name, values in columns.items():
                inputs[name][place, :length] = values[number]
        yield numbers, inputs["attention_mask"], session.run(None, inputs)[0]


def embedder(path, tokenizer_path):
    session, tokenizer = session_of(path), Tokenizer.from_file(tokenizer_path)
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST)
    pools = session.get_outputs()[0].name == "sentence_embedding"
    unknown = tokenizer.token_to_id("[UNK]")

    def embed(texts):
        encodings = tokenizer.encode_batch(list(texts), add_special_tokens=not pools)
        rows = [encoding.ids for encoding in encodings]
        if pools:
            rows = [[piece for piece in row if piece != unknown] or [0] for row in rows]
        vectors = [None] * len(rows)
        for numbers, mask, output in run_in_batches(session, dict(input_ids=rows)):
            if not pools:
                output = (output * mask[..., None]).sum(1) / np.maximum(mask.sum(1, keepdims=True), 1)
            for number, vector in zip(numbers, output):
                vectors[number] = vector
        return unit(np.stack(vectors).astype(np.float32))

    return embed


def reranker(path, tokenizer_path):
    session, tokenizer = session_of(path), Tokenizer.from_file(tokenizer_path)
    tokenizer.enable_truncation(LONGEST, strategy="only_second")

    def score(pairs):
        encodings = tokenizer.encode_batch(pairs)
        columns = dict(
            input_ids=[encoding.ids for encoding in encodings],
            token_type_ids=[encoding.type_ids for encoding in encodings],
        )
        scores = np.zeros(len(pairs), np.float32)
        for numbers, _, output in run_in_batches(session, columns):
            scores[numbers] = output[:, 0]
        return scores

    return score


def evaluate_embedder(sets, embed):
    width = embed(["one text"]).shape[1]
    retrieval("embedder", sets, embed, [count for count in (256, 128, 64) if count <= width])
    for name, (queries, passages, right) in sets.items():
        print("BM25", name, figures(ranks(bm25(passages, queries), right)), flush=True)


def reranked_ranks(first_scores, right, queries, passages, score):
    """Ranks after reordering the best; a right passage that is not among them counts as never found."""
    best = np.argsort(-first_scores, 1)[:, :RERANKED]
    pairs = [(query, passages[number]) for query, row in zip(queries, best) for number in row]
    scores = np.full(first_scores.shape, -np.inf)
    np.put_along_axis(scores, best, score(pairs).reshape(best.shape), 1)
    found = ranks(scores, right)
    missed = [not set(row) & set(numbers) for row, numbers in zip(best, right)]
    return np.where(missed, 10**6, found)


def evaluate_reranker(sets, embed, score, most_questions):
    for name, (queries, passages, right) in sets.items():
        chosen = np.sort(np.random.RandomState(0).permutation(len(queries))[:most_questions])
        queries, right = [queries[number] for number in chosen], [right[number] for number in chosen]
        vectors = embed(passages)
        for first, scores in (("embedder", embed(queries) @ vectors.T), ("BM25", bm25(passages, queries))):
            print(name, first, figures(ranks(scores, right)), flush=True)
            print(
                name, f"{first}, reranked", figures(reranked_ranks(scores, right, queries, passages, score)), flush=True
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("work")
    parser.add_argument("kind", choices=["embedder", "reranker"])
    parser.add_argument("model")
    parser.add_argument("tokenizer")
    parser.add_argument("--embedder", help="finds the passages that the reranker reorders")
    parser.add_argument("--questions", type=int, default=300, help="of each set, for the reranker")
    arguments = parser.parse_args()
    found_sets = evaluation_sets(arguments.work)
    if arguments.kind == "embedder":
        evaluate_embedder(found_sets, embedder(arguments.model, arguments.tokenizer))
    else:
        first_stage = embedder(arguments.embedder, arguments.tokenizer)
        rerank = reranker(arguments.model, arguments.tokenizer)
        evaluate_reranker(found_sets, first_stage, rerank, arguments.questions)
