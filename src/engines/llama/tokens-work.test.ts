/** Start tokens, which the starter model lacks: with a vocabulary that has one. */
import { expect, test } from 'bun:test'
import type { LoadedModel } from './load-model.ts'
import { tokensWork } from './tokens-work.ts'

function vocabulary(addsStartToken: boolean): LoadedModel {
  const model = {
    info: { startToken: 1, addsStartToken },
    tokenize: async (text: string) => Int32Array.from(text, Number),
  }
  return { model } as unknown as LoadedModel // the rest is not asked for
}

test.each<[text: string, addsStart: boolean, addsStartToken: boolean, tokens: number[]]>([
  ['56', true, true, [1, 5, 6]],
  ['156', true, true, [1, 5, 6]],
  ['56', false, true, [5, 6]],
  ['56', true, false, [5, 6]],
])('%j, begun as a text: %p, in a vocabulary that wants it: %p', async (text, addsStart, addsStartToken, tokens) => {
  const request = { task: 'text', text, addsStart, parsesSpecial: true, hasPieces: false } as const
  const answer = await tokensWork(vocabulary(addsStartToken), 64, request, new AbortController().signal)
  expect(answer).toEqual({
    promptTokens: tokens.length,
    outputs: [{ type: 'tokens', tokens: Int32Array.from(tokens), contextTokens: 64 }],
  })
})
