import { expect, test } from 'bun:test'
import { ApiAnswer, BrokenOff } from '../api-client.ts'
import { answerPieces } from './answer-pieces.ts'

const { signal } = new AbortController()

const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const thought = event({ choices: [{ delta: { reasoning_content: 'hm' } }] })
const text = event({ choices: [{ delta: { content: 'yes' }, finish_reason: 'stop' }] })
const usage = event({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } })
const whole = `${thought}${text}${usage}data: [DONE]\n\n`

/** Reads the answer of a server whose requests get these bodies one after the other. */
async function read(...bodies: string[]) {
  const request = async () => new ApiAnswer(new Response(bodies.shift()), signal)
  const answer = answerPieces({ post: request, get: request }, {}, signal)
  const seen: unknown[] = []
  for (;;) {
    const { value, done } = await answer.next().catch((error) => ({ value: error, done: true }))
    seen.push(value)
    if (done) return seen
  }
}

const pieces = [
  { kind: 'thought', text: 'hm' },
  { kind: 'text', text: 'yes' },
  { finish: 'stop', promptTokens: 3, completionTokens: 2 },
]

test('an answer is its thoughts, its text and the facts at its end', async () => {
  expect(await read(whole)).toEqual(pieces)
})

test('a request is sent once more if its server breaks off before the first piece', async () => {
  expect(await read(usage, whole)).toEqual(pieces)
  expect(await read(usage, usage, whole)).toEqual([expect.any(BrokenOff)])
  expect(await read(thought, whole)).toEqual([pieces[0], expect.any(BrokenOff)])
})
