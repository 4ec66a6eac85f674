import { expect, test } from 'bun:test'
import { joinInTurns, jsonPieces } from './json-pieces.ts'

const tokens = Array.from({ length: 1_000 }, (_, index) => ({ token: `"${index}`, bytes: [1, 2] }))

test.each([
  ['a text', 'a"b'],
  ['nothing', null],
  ['empty ones', [{}, [], '']],
  ['fields that are absent', { a: undefined, b: [undefined, 1], c: undefined }],
  ['a long array', Array.from({ length: 101 }, (_, index) => index)],
  ['an answer', { choices: [{ index: 0, text: 'ä', logprobs: { content: tokens } }], usage: { total: 1.5 } }],
])('%s is written as JSON', (_, value) => {
  expect([...jsonPieces(value)].join('')).toBe(JSON.stringify(value))
})

test('a long array comes in many pieces', () => {
  const lengths = [...jsonPieces({ content: tokens })].map(({ length }) => length)
  expect(Math.max(...lengths)).toBeLessThan(JSON.stringify(tokens).length / 10)
})

/** Joins ten pieces that take so long each. Returns the text and how many turns others had meanwhile. */
async function join(pieceMs: number) {
  let nowMs = 0
  let turns = 0
  let isOver = false
  const takeTurn = () => {
    if (isOver) return
    turns++
    setImmediate(takeTurn)
  }
  function* pieces() {
    for (let index = 0; index < 10; index++) {
      nowMs += pieceMs
      yield String(index)
    }
  }
  setImmediate(takeTurn)
  const text = await joinInTurns(pieces(), () => nowMs)
  isOver = true
  return { text, turns }
}

test('what is soon done is done at once', async () => {
  expect(await join(0.1)).toEqual({ text: '0123456789', turns: 0 })
})

test('others have their turns while it takes longer', async () => {
  const { text, turns } = await join(3)
  expect(text).toBe('0123456789')
  expect(turns).toBeGreaterThanOrEqual(5)
})
