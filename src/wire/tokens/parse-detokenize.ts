/** Body of POST /detokenize, and the query of GET /tokenizer_info. */
import { Type } from '@sinclair/typebox'
import { check, optionalModelField, presentFields, readTokenIds } from '../check.ts'
import type { WorkCall } from '../dialect.ts'
import { limits } from '../limits.ts'

export const DetokenizeBody = Type.Object({
  ...optionalModelField,
  tokens: Type.Array(Type.Unknown(), {
    maxItems: limits.detokenizedTokens.most,
    description: `an array of at most ${limits.detokenizedTokens.most} token ids`,
    examples: [[1, 2, 3]],
  }),
})

export const TokenizerInfoQuery = Type.Object(optionalModelField)

/** Translates a whole body. Throws ApiError 400 whose `param` is the dotted path of the wrong field. */
export function parseDetokenize(body: unknown): WorkCall {
  const { tokens } = check(DetokenizeBody, presentFields(body))
  return { request: { task: 'tokens', tokens: tokens.length === 0 ? [] : readTokenIds(tokens, 'tokens') } }
}

export function parseTokenizerInfo(query: unknown): WorkCall {
  check(TokenizerInfoQuery, presentFields(query))
  return { request: { task: 'info' } }
}
