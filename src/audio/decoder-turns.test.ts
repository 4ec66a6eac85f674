import { expect, test } from 'bun:test'
import { DecoderTurns, DecodingTooLong } from './decoder-turns.ts'

const never = new AbortController().signal
const forever = new Promise<never>(() => {})
const longMs = 3_600_000

/** Decodings of one server by name. Each begins at once and passes on its pieces, which are counted. */
function decodingsBy(parallel: number) {
  const turns = new DecoderTurns({ parallel, sliceMs: 1 })
  const pieces = new Map<string, number>()
  const start = async (
    name: string,
    options: { account?: string; make: () => AsyncIterable<number>; limitMs?: number },
  ) => {
    const { account = name, make, limitMs = longMs } = options
    const shared = { accountId: account, expectedSeconds: 10, limitMs, signal: never }
    for await (const _ of turns.share(make, shared)) pieces.set(name, (pieces.get(name) ?? 0) + 1)
    return name
  }
  return { pieces, start }
}

async function* few() {
  for (let piece = 0; piece < 3; piece++) yield piece
}

/** Pieces until all of the test's are over. */
function endless(over: AbortSignal) {
  return async function* () {
    for (let piece = 0; !over.aborted; piece++) {
      await new Promise(setImmediate)
      yield piece
    }
  }
}

test.each([1, 2, 4])(
  'however many endless recordings an account sends, others are decoded: %d at a time',
  async (parallel) => {
    const over = new AbortController()
    const { start, pieces } = decodingsBy(parallel)
    const greedy = Array.from({ length: 10 }, (_, at) =>
      start(`endless ${at}`, { account: 'greedy', make: endless(over.signal) }),
    )
    while (pieces.size === 0) await new Promise(setImmediate)
    expect(await Promise.all(['b', 'c', 'd'].map((name) => start(name, { make: few })))).toEqual(['b', 'c', 'd'])
    expect([...pieces.keys()].filter((name) => name.startsWith('endless')).length).toBeLessThanOrEqual(
      Math.max(1, parallel / 2),
    )
    over.abort()
    await Promise.all(greedy)
  },
)

test('a decoding that paused for others goes on, and loses nothing', async () => {
  const { start, pieces } = decodingsBy(1)
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  const long = start('long', {
    async *make() {
      yield 0
      gates[0].resolve()
      await gates[1].promise
      yield 1
      yield 2
    },
  })
  await gates[0].promise
  // It makes nothing, and its turn ends.
  await start('short', { make: few })
  expect(pieces.get('long')).toBe(1)
  gates[1].resolve()
  await long
  expect(pieces.get('long')).toBe(3)
})

test('decoders that hang do not hold up the rest', async () => {
  const { start } = decodingsBy(1)
  for (const name of ['a', 'b', 'c']) {
    void start(name, {
      async *make() {
        yield await forever
      },
    })
  }
  expect(await start('d', { make: few })).toBe('d')
})

test('a decoder that takes too long of its own time is told so', async () => {
  const turns = new DecoderTurns({ parallel: 1 })
  const shared = { accountId: 'a', expectedSeconds: 1, limitMs: 1, signal: never }
  const hanging = turns.share(async function* (signal) {
    yield await new Promise<number>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }, shared)
  await expect(hanging.next()).rejects.toBeInstanceOf(DecodingTooLong)
})

test('who leaves while waiting for a turn begins nothing, and others go on', async () => {
  const turns = new DecoderTurns({ parallel: 1 })
  const over = new AbortController()
  const shared = { expectedSeconds: 1, limitMs: longMs }
  const first = turns.share(endless(over.signal), { ...shared, accountId: 'a', signal: never })
  await first.next()
  const leaving = new AbortController()
  const waiting = turns.share(() => expect.unreachable(), { ...shared, accountId: 'a', signal: leaving.signal }).next()
  leaving.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  await first.return(undefined)
  const last = turns.share(few, { ...shared, accountId: 'a', signal: never })
  expect(await Array.fromAsync(last)).toEqual([0, 1, 2])
})
