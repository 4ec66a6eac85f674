import { expect, test } from 'bun:test'
import type { ChatEvent } from '../core/chat.ts'
import { ApiError } from '../core/errors.ts'
import type { WorkEvent } from '../core/work.ts'
import { keepAliveFrame } from '../wire/sse-frame.ts'
import { streamedAnswer } from './streamed-answer.ts'

/** Streams the given events in a dialect of one word per event, and records what was done. */
function stream(rest: () => AsyncGenerator<ChatEvent>, signal = new AbortController().signal) {
  const seen: string[] = []
  const generator = rest()
  const close = generator.return.bind(generator)
  generator.return = (value) => {
    seen.push('returned')
    return close(value)
  }
  const exchange = {
    request: { signal, headers: new Headers() },
    peerAddress: '127.0.0.1',
    observer: { onEvent: ({ type }: WorkEvent) => seen.push(type), onError: () => undefined, isAborted: undefined },
    services: {
      config: { keepAliveMs: 60_000, host: '127.0.0.1', reach: { program: 'inferd', flags: ' --data /srv' } },
    },
    limitSilence: () => undefined,
    outlive: () => () => seen.push('over'),
  }
  const body = streamedAnswer(exchange, ['<start>'], generator, {
    push: (event) => [`<${event.type}>`],
    end: () => ['<end>'],
    fail: ({ cause, message }) => [`<${String(cause ?? message)}>`],
    keepAlive: () => keepAliveFrame,
  })
  return { body, seen }
}

const text: ChatEvent = { type: 'text-delta', choice: 0, text: 'a' }

test('frames come in order, the start first and the end last', async () => {
  const { body, seen } = stream(async function* () {
    yield text
    yield text
  })
  expect(await new Response(body).text()).toBe('<start><text-delta><text-delta><end>')
  expect(seen).toEqual(['text-delta', 'text-delta', 'returned', 'over'])
})

test('a failure becomes a frame and nothing follows it', async () => {
  const { body, seen } = stream(async function* () {
    yield text
    throw new Error('lost')
  })
  expect(await new Response(body).text()).toBe('<start><text-delta><Error: lost>')
  expect(seen.at(-1)).toBe('over')
})

test('the command that a failure names reaches this server', async () => {
  const { body } = stream(async function* () {
    yield text
    throw new ApiError('unavailable', "'inferd ps' tells why", { code: 'engine_lost' })
  })
  expect(await new Response(body).text()).toBe("<start><text-delta><'inferd ps --data /srv' tells why>")
})

test('a failure because the client left is not written', async () => {
  const abort = new AbortController()
  const { body, seen } = stream(async function* () {
    yield text
    abort.abort()
    throw abort.signal.reason
  }, abort.signal)
  expect(await new Response(body).text()).toBe('<start><text-delta>')
  expect(seen).toEqual(['text-delta', 'returned', 'over'])
})

test('a body that is thrown away unread still ends the work, once', async () => {
  const { body, seen } = stream(async function* () {
    yield text
  })
  await body.cancel()
  expect(seen).toEqual(['returned', 'over'])
})
