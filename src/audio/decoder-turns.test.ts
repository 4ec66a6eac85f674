import { expect, test } from 'bun:test'
import { type Decode, DecoderTurns } from './decoder-turns.ts'
import { DecodingTooLong } from './run-decoder.ts'

const never = new AbortController().signal
const longMs = 3_600_000

/** Returns functions that run decodings by name and collect their bytes. */
function decodingsBy(parallel: number) {
  const turns = new DecoderTurns({ parallel, sliceMs: 1, shortBytes: 5 })
  const bytes = new Map<string, number[]>()
  const start = async (name: string, decode: Decode, account = name) => {
    const shared = { accountId: account, expectedSeconds: 10, limitMs: longMs, signal: never }
    for await (const piece of turns.share(decode, shared)) bytes.set(name, [...(bytes.get(name) ?? []), ...piece])
    return name
  }
  return { bytes, start }
}

async function* few() {
  for (let piece = 0; piece < 3; piece++) yield Uint8Array.of(piece)
}

/** Yields a piece after each turn of the event loop until the test is over. */
function endless(over: AbortSignal): Decode {
  return async function* (signal) {
    while (!over.aborted && !signal.aborted) {
      await new Promise(setImmediate)
      yield Uint8Array.of(0)
    }
  }
}

/** Yields nothing until it is aborted. */
async function* hanging(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield await new Promise<Uint8Array>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}

test.each([1, 2, 4])('whatever an account sends, others are decoded: %d at a time', async (parallel) => {
  const over = new AbortController()
  const { start, bytes } = decodingsBy(parallel)
  const greedy = Array.from({ length: 10 }, (_, at) => start(`endless ${at}`, endless(over.signal), 'greedy'))
  while (bytes.size === 0) await new Promise(setImmediate)
  expect(await Promise.all(['b', 'c', 'd'].map((name) => start(name, few)))).toEqual(['b', 'c', 'd'])
  over.abort()
  await Promise.all(greedy)
})

test('whatever many accounts send, others are decoded', async () => {
  const over = new AbortController()
  const { start, bytes } = decodingsBy(2)
  const greedy = Array.from({ length: 30 }, (_, at) => start(`endless ${at}`, endless(over.signal)))
  while (bytes.size < 2) await new Promise(setImmediate)
  expect(await Promise.all(['b', 'c', 'd'].map((name) => start(name, few)))).toEqual(['b', 'c', 'd'])
  over.abort()
  await Promise.all(greedy)
})

test('decoders that hang do not hold up the rest', async () => {
  const { start } = decodingsBy(1)
  for (let at = 0; at < 20; at++) void start(`hanging ${at}`, hanging)
  expect(await start('d', few)).toBe('d')
})

test('a decoding that pauses, or begins again for others, loses nothing and repeats nothing', async () => {
  const { start, bytes } = decodingsBy(1)
  const length = 50
  let begun = 0
  const counting: Decode = async function* () {
    const size = ++begun
    // Each attempt yields pieces of another size.
    for (let byte = 0; byte < length; byte += size) {
      // Each piece takes longer than a slice on any machine.
      const endsAtMs = performance.now() + 2
      while (performance.now() < endsAtMs) await new Promise(setImmediate)
      yield Uint8Array.from({ length: Math.min(size, length - byte) }, (_, at) => byte + at)
    }
  }
  const names = Array.from({ length: 8 }, (_, at) => `counting ${at}`)
  await Promise.all(names.map((name) => start(name, counting)))
  const whole = Array.from({ length }, (_, at) => at)
  for (const name of names) expect(bytes.get(name)).toEqual(whole)
  expect(begun).toBeGreaterThan(names.length)
})

test('a decoder that takes too long of its own time is told so', async () => {
  const turns = new DecoderTurns({ parallel: 1, sliceMs: 1 })
  const shared = { accountId: 'a', expectedSeconds: 1, limitMs: 1, signal: never }
  await expect(turns.share(hanging, shared).next()).rejects.toBeInstanceOf(DecodingTooLong)
})

test('who leaves while waiting for a turn begins nothing, and others go on', async () => {
  const turns = new DecoderTurns({ parallel: 1 })
  const over = new AbortController()
  const shared = { accountId: 'a', expectedSeconds: 1, limitMs: longMs }
  const first = turns.share(endless(over.signal), { ...shared, signal: never })
  await first.next()
  const leaving = new AbortController()
  const waiting = turns.share(() => expect.unreachable(), { ...shared, signal: leaving.signal }).next()
  leaving.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  await first.return(undefined)
  expect(await Array.fromAsync(turns.share(few, { ...shared, signal: never }))).toHaveLength(3)
})
