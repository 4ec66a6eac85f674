"""The reranker: compares every piece of the query with every piece of the document, and adds up what it finds.

A soft BM25 to begin with: for each piece of the query it counts how many pieces of the document are equal, or similar
to a certain degree, with the count saturating as in BM25, weighted by how rare the piece is. The same once more for
pairs of neighbouring pieces. Two small layers turn these counts into one logit. There is no attention: a transformer of
this size needs far more text than a CPU can read in minutes.
"""

import torch
import torch.nn as nn
import torch.nn.functional as F

from tokenizer import SPECIAL_TOKENS, VOCABULARY

WIDTH = 128
SIMILARITIES = [1.0, 0.9, 0.7, 0.5, 0.3, 0.1]  # centres of the degrees of similarity, 1 is equal
SPREADS = [0.02, 0.1, 0.1, 0.1, 0.1, 0.1]
DEGREES = len(SIMILARITIES)
FEATURES = 4 * DEGREES + 3
USUAL_LENGTH = 90.0  # pieces of a document
NEAR = 15  # pieces that count as one place


def next_piece(x):
    """Moved by one piece to the left, with nothing at the end."""
    return torch.cat([x[:, 1:], x[:, :1] * 0], 1)


class Reranker(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.rarity = nn.Embedding(VOCABULARY, 1)
        self.saturation = nn.Parameter(torch.full((2, DEGREES), 1.2))
        self.length_share = nn.Parameter(torch.tensor(0.5))
        self.hidden = nn.Sequential(nn.Linear(FEATURES, 48), nn.ReLU(), nn.Linear(48, 1))
        self.linear = nn.Linear(FEATURES, 1)
        # Untrained, it counts equal pieces and a little equal pairs of pieces.
        nn.init.zeros_(self.linear.weight)
        self.linear.weight.data[0, 0] = 6.0
        self.linear.weight.data[0, DEGREES] = 1.0
        nn.init.constant_(self.linear.bias, -3.0)
        nn.init.zeros_(self.hidden[2].weight)

    def saturated(self, count, channel, degree, length):
        share = self.length_share
        return count / (count + self.saturation[channel, degree].clamp(0.2, 6) * ((1 - share) + share * length))

    def matches(self, similarity, mask, degree):
        spread = SPREADS[degree]
        return torch.exp(-((similarity - SIMILARITIES[degree]) ** 2) / (2 * spread * spread)) * mask

    def counts(self, matches, weight, channel, length):
        """Weighted counts of each degree of similarity: as a share of the query, and as they are."""
        each = [self.saturated(match.sum(-1), channel, degree, length) for degree, match in enumerate(matches)]
        total = (torch.stack(each, -1) * weight[..., None]).sum(1)
        return [total / (weight.sum(1, keepdim=True) + 1e-3), total * 0.2]

    def all_matches(self, query, document, mask):
        similarity = query @ document.transpose(1, 2)
        return similarity, [self.matches(similarity, mask, degree) for degree in range(DEGREES)]

    def score(self, query_ids, query_mask, document_ids, document_mask):
        """[batch, 1] logits; masks are 0 or 1 as floats, of the shape of their ids."""
        query, document = (F.normalize(self.tokens(ids), dim=-1) for ids in (query_ids, document_ids))
        weight = F.softplus(self.rarity(query_ids))[..., 0] * query_mask
        total = weight.sum(1, keepdim=True) + 1e-3
        length = document_mask.sum(1)[:, None] / USUAL_LENGTH

        mask = document_mask[:, None, :]
        similarity, matches = self.all_matches(query, document, mask)
        single = self.counts(matches, weight, 0, length)
        best = ((similarity * mask - 2 * (1 - mask)).max(-1).values * weight).sum(1, keepdim=True) / total
        # How much of the query stands in one place of the document.
        equal = (matches[0] * weight[..., None]).max(1).values
        near = F.avg_pool1d(equal[:, None], NEAR, 1, NEAR // 2).max(-1).values * NEAR / total

        query, document = (F.normalize(x + next_piece(x), dim=-1) for x in (query, document))
        pair_weight = weight * next_piece(query_mask)
        pair_weight = (pair_weight + next_piece(pair_weight)) * 0.5 * next_piece(query_mask)
        pair_mask = (document_mask * next_piece(document_mask))[:, None, :]
        _, matches = self.all_matches(query, document, pair_mask)
        double = self.counts(matches, pair_weight, 1, length)

        pair_total = pair_weight.sum(1, keepdim=True) + 1e-3
        features = torch.cat([*single, *double, best, near, pair_total * 0.1], -1)
        return self.linear(features) + self.hidden(features)

    def forward(self, input_ids, attention_mask, token_type_ids):
        """[CLS] query [SEP] document [SEP], with token type 1 for the document; special tokens are left out."""
        real = (attention_mask * (input_ids >= len(SPECIAL_TOKENS)).to(attention_mask.dtype)).float()
        in_document = token_type_ids.float()
        return self.score(input_ids, real * (1 - in_document), input_ids, real * in_document)
