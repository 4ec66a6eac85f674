import { expect, test } from 'bun:test'
import { readPromptScores } from './read-prompt-scores.ts'

test('the scores of a long prompt are read in pieces, between which others have their turn', async () => {
  const places = 1000
  const lists = {
    tokens: Array.from({ length: places }, (_, place) => `t${place}`),
    token_logprobs: Array.from({ length: places }, (_, place) => (place === 0 ? null : -place)),
  }
  let turns = 0
  let immediate = setImmediate(function next() {
    turns++
    immediate = setImmediate(next)
  })
  const events = await readPromptScores({ byId: undefined, lists, ids: undefined, alternatives: 0 }, 3, places)
  expect(turns).toBeGreaterThanOrEqual(events.length - 1)
  clearImmediate(immediate)
  expect(events.length).toBeGreaterThan(3)
  expect(events.every(({ choice }) => choice === 3)).toBe(true)
  expect(events.flatMap(({ scores }) => [...scores])).toEqual([
    Number.NaN,
    ...lists.token_logprobs.slice(1),
  ] as number[])
  const text = events.map(({ bytes }) => new TextDecoder().decode(bytes)).join('')
  expect(text).toBe(lists.tokens.join(''))
})
