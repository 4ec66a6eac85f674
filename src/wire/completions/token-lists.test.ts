import { expect, test } from 'bun:test'
import type { TokenLogprob } from '../../core/chat.ts'
import { TokenLists } from './token-lists.ts'

function token(bytes: string | number[], logprob: number, ...alternatives: [string, number][]): TokenLogprob {
  const toToken = (bytes: string | number[], logprob: number) => ({
    token: '�',
    bytes: typeof bytes === 'string' ? [...new TextEncoder().encode(bytes)] : bytes,
    logprob,
  })
  return { ...toToken(bytes, logprob), alternatives: alternatives.map(([text, of]) => toToken(text, of)) }
}

test('tokens become lists, with their places in code points', () => {
  const lists = new TokenLists(2, 5)
  expect(lists.of([token('a🙂', -1, ['a🙂', -1], ['b', -2]), token('c', -0.5, ['c', -0.5])])).toEqual({
    tokens: ['a🙂', 'c'],
    token_logprobs: [-1, -0.5],
    top_logprobs: [{ 'a🙂': -1, b: -2 }, { c: -0.5 }],
    text_offset: [5, 7],
  })
  expect(lists.of([token('d', -1)]).text_offset).toEqual([8])
})

test('the chosen token is among the alternatives even if it is none of the likeliest', () => {
  expect(new TokenLists(1, 0).of([token('z', -9, ['a', -1])]).top_logprobs).toEqual([{ a: -1, z: -9 }])
})

test('of two tokens with one text the likelier counts', () => {
  const both = token('a', -1, ['a', -1], ['a', -3])
  expect(new TokenLists(2, 0).of([both]).top_logprobs).toEqual([{ a: -1 }])
})

test('without alternatives there is no list of them', () => {
  expect(new TokenLists(0, 0).of([token('a', -1)])).toMatchObject({ tokens: ['a'], top_logprobs: null })
})

test('a token that is a part of a character is told by its bytes, and the character has one place', () => {
  const parts = [[0xf0, 0x9f], [0x99], [0x82], [0x61]].map((bytes) => token(bytes, -1))
  expect(new TokenLists(0, 0).of(parts)).toMatchObject({
    tokens: ['bytes:\\xf0\\x9f', 'bytes:\\x99', 'bytes:\\x82', 'a'],
    text_offset: [0, 1, 1, 1],
  })
})

test('a token may be called like a property of objects, and one that was ruled out has a finite number', () => {
  const [top] = new TokenLists(1, 0).of([token('__proto__', Number.NEGATIVE_INFINITY)]).top_logprobs ?? []
  expect(JSON.stringify(top)).toBe('{"__proto__":-9999}')
})
