/** Names of the inputs and outputs that are added to a graph. */
export const added = {
  pooled: 'inferd_pooled',
  /** Input of shape [texts, 1, columns]: 1 for a token of the text, 0 for padding. */
  ownTokens: 'inferd_own_tokens',
  /** Input of shape [texts]: index of the token that represents each text, among all texts' tokens. */
  tokenIndex: 'inferd_token_index',
  /**
   * Input: lengths of the texts, then the index of each text's first token and the end index, for queries and for
   * keys.
   */
  spans: 'inferd_spans',
} as const
