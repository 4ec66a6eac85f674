"""Batches of conversations about pictures as the vision model sees them, for the language model's second stage."""

import torch

from batching import LENGTHS, batch_of, encoded
from tasks_system import PLAIN
from values import chance, pick
from vision.captions import SLOTS, START, VOCABULARY
from vision.drawing import drawn
from vision.model import VisionModel
from vision.task import as_captions, no_aside, picture_conversation

# Share of batches with true captions, which teach where to look without the vision model's mistakes.
CAPTIONS = 0.35


def load_vision(path):
    """The aligned vision model; it learns nothing more here."""
    saved = torch.load(path, map_location="cpu")
    model = VisionModel(saved["config"])
    model.load_state_dict(saved["model"])
    return model.requires_grad_(False).bfloat16()


def places_of(ids, start):
    """A mask of the slots: SLOTS tokens from each `start`, which nothing but a caption holds."""
    places = torch.zeros(ids.shape, dtype=torch.bool)
    for row, column in (ids == start).nonzero().tolist():
        places[row, column : column + SLOTS] = True
    return places


def seen(vision, scenes):
    """(number of scenes * SLOTS, width) embeddings."""
    pixels = torch.stack([torch.from_numpy(drawn(scene)[0].copy()) for scene in scenes])
    return vision(pixels).flatten(0, 1)


def blurred(embeddings):
    """Captions with doubts as the vision model has them: each entry holds a little of another one, most hold very little."""
    share = 0.45 * torch.rand(len(embeddings), 1) ** 3
    return torch.lerp(embeddings, embeddings[torch.randperm(len(embeddings))], share.to(embeddings.dtype))


def words_that_tell(tokenizer):
    """Ids of the tokens that say what a picture shows."""
    words = [token for token in VOCABULARY if token.strip().isalnum()] + ["Yes", "No", "Nothing"]
    return {tokenizer.encode(word, add_special_tokens=False).ids[0] for word in words}


def weighted(ids, weights, telling):
    """What tells counts ten times as much as the words around it, which are soon learned."""
    return [weight and (5 if token in telling else 0.5) for token, weight in zip(ids, weights)]


def picture_batches(tokenizer, tokens, embedding, vision, aside=no_aside):
    """Endless (ids, weights, places, embeddings); the embeddings belong where `places` is set, in row order.

    Without a vision model, and now and then with one, captions stand in the pictures' places."""
    start, telling = tokenizer.token_to_id(START), words_that_tell(tokenizer)
    waiting = {length: [] for length in LENGTHS}
    while True:
        fragment = picture_conversation(aside)
        fragment["thinking"] = chance(0.3)
        if chance(0.2):
            fragment["system"] = pick(*PLAIN)
        scenes = fragment["pictures"]
        ids, weights = next(encoded(tokenizer, [as_captions(fragment)]))
        if len(ids) > LENGTHS[-1]:
            continue
        length = next(length for length in LENGTHS if length >= len(ids))
        waiting[length].append((ids, weighted(ids, weights, telling), scenes))
        if len(waiting[length]) == max(1, tokens // length):
            rows, waiting[length] = waiting[length], []
            ids, weights = batch_of([row[:2] for row in rows], length)
            places = places_of(ids, start)
            if vision is None or chance(CAPTIONS):
                yield ids, weights, places, blurred(embedding(ids[places]))
            else:
                yield ids, weights, places, seen(vision, [scene for row in rows for scene in row[2]])
