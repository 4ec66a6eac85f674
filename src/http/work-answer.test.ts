import { expect, test } from 'bun:test'
import { joinInTurns } from './work-answer.ts'

/**
 * Joins ten pieces, each of which takes `pieceMs`. Returns the text and the number of turns that others had
 * meanwhile.
 */
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
