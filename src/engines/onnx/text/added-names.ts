/** Names of the inputs and outputs that are added to a graph. */
export const added = {
  pooled: 'inferd_pooled',
  /** Input of shape [texts, 1, columns]: 1 where a text has a token of its own, else 0. */
  ownTokens: 'inferd_own_tokens',
  /** Input of shape [texts]: index of the token that stands for each text, among those of all texts. */
  tokenIndex: 'inferd_token_index',
  /** Input: lengths of the texts, then the index of each one's first token and of the end, for queries and for keys. */
  spans: 'inferd_spans',
} as const
