import { afterAll, expect, test } from 'bun:test'
import type { EventStream } from './event-stream.ts'
import { EventStreams, type StreamOwner } from './event-streams.ts'

const streams = new EventStreams()
let signedIn = true
let opened: EventStream[] = []
let left = 0

/** Server with real sockets. A request's path is its account's id. */
const server = Bun.serve({
  port: 0,
  fetch: (request) => {
    const owner: StreamOwner = { accountId: new URL(request.url).pathname, isSignedIn: () => signedIn }
    const exchange = {
      request,
      observer: { isAborted: undefined },
      limitSilence: () => undefined,
      outlive: () => () => undefined,
    }
    return streams.answer(exchange, owner, (stream) => {
      opened.push(stream)
      stream.set('first', { of: owner.accountId })
      return () => left++
    })
  },
})
afterAll(() => server.stop(true))

test('HEAD of a stream is answered at once, and opens none', async () => {
  const response = await fetch(new URL('/head', server.url), { method: 'HEAD' })
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect([opened.length, left]).toEqual([0, 0])
})

/** Opens a stream and waits for its first event. */
async function open(accountId: string) {
  const response = await fetch(new URL(accountId, server.url))
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) throw new Error('no body')
  const first = await reader.read()
  const rest = async () => {
    let text = ''
    for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value
    return text
  }
  return { response, reader, first: first.value, rest }
}

test('a stream begins with its first events and is kept by no cache and no proxy', async () => {
  const { response, reader, first } = await open('/ada')
  expect(first).toBe('event: first\ndata: {"of":"/ada"}\n\n')
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  await reader.cancel()
})

test('the seventeenth stream of an account closes its first one, and none of another account', async () => {
  opened = []
  const other = await open('/bob')
  const oldest = await open('/eve')
  const kept = [other]
  for (let count = 0; count < 16; count++) kept.push(await open('/eve'))
  expect(await oldest.rest()).toBe('event: bye\ndata: {"reason":"too_many_streams"}\n\n')
  for (const stream of opened) stream.end()
  const rests = await Promise.all(kept.map(({ rest }) => rest()))
  expect(rests).toEqual(kept.map(() => ''))
})

test('streams of a session that has ended say goodbye at once', async () => {
  const stream = await open('/ada')
  signedIn = false
  streams.recheck()
  expect(await stream.rest()).toBe('event: bye\ndata: {"reason":"signed_out"}\n\n')
  signedIn = true
})

test('a stream is left once, whoever ends it', async () => {
  const before = left
  const stream = await open('/ada')
  streams.recheck()
  expect(left).toBe(before)
  opened.at(-1)?.end()
  expect(await stream.rest()).toBe('')
  expect(left).toBe(before + 1)
})

test('when the server stops every stream says goodbye, and so does one that comes later', async () => {
  const stream = await open('/ada')
  streams.close()
  expect(await stream.rest()).toBe('event: bye\ndata: {"reason":"stopping"}\n\n')
  const late = await open('/ada')
  expect(late.first).toEndWith('event: bye\ndata: {"reason":"stopping"}\n\n')
})
