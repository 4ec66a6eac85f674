import { expect, test } from 'bun:test'
import { ApiError } from '../core/errors.ts'
import { pagedAnswer } from './paged-answer.ts'

const pieces = 20

const failures: string[] = []

function exchange() {
  return {
    request: new Request('http://localhost/'),
    observer: { isAborted: undefined, onError: ({ code }: ApiError) => void failures.push(String(code)) },
    limitSilence: () => undefined,
    outlive: () => () => undefined,
  }
}

test('the event loop turns after each piece, however fast the client reads', async () => {
  let turns = 0
  let isOver = false
  const turn = () => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  async function* made() {
    for (let piece = 0; piece < pieces; piece++) yield 'x'
  }
  setImmediate(turn)
  expect(await pagedAnswer(exchange(), made(), {}).text()).toBe('x'.repeat(pieces))
  isOver = true
  expect(turns).toBeGreaterThanOrEqual(pieces)
})

test('an answer whose pieces fail is cut off, and its request failed', async () => {
  async function* made() {
    yield 'x'
    throw new ApiError('authentication', 'Sign in.', { code: 'not_signed_in' })
  }
  using server = Bun.serve({ port: 0, fetch: () => pagedAnswer(exchange(), made(), {}), error: () => undefined })
  const answer = fetch(server.url).then((response) => response.text())
  expect(await answer.catch(() => 'cut off')).toBe('cut off')
  expect(failures).toEqual(['not_signed_in'])
})
