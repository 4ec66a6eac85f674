import { afterAll, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileProgress } from '../../core/download.ts'
import { chunkSumOf } from '../../testing/chunk-sum-of.ts'
import { randomBytes, startTestDownloads, testChunkBytes } from '../../testing/downloads.ts'
import { sha256Of } from '../../testing/fake-hub/fake-hub.ts'
import type { Fault } from '../../testing/fake-hub/fault.ts'
import type { Downloader } from './downloader.ts'

const { hub, folder, planned, downloader, ...downloads } = await startTestDownloads()
afterAll(() => downloads[Symbol.asyncDispose]())

const content = randomBytes(7 * testChunkBytes + 1234)
const { commit } = hub.put('org/repo', 'model.bin', content)
const target = join(folder, 'model', 'model.bin')

beforeEach(() => {
  hub.fault = () => undefined
  hub.addressUses = Number.MAX_SAFE_INTEGER
  rmSync(join(folder, 'model'), { recursive: true, force: true })
})

const seen: FileProgress[] = []
function pull(by: Downloader, file = planned(), signal: AbortSignal = AbortSignal.timeout(20_000)) {
  seen.length = 0
  return by.download(file, target, { signal, onProgress: (progress) => seen.push(progress) })
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )
const namesLeft = () => readdirSync(join(folder, 'model')).sort()
const store = (fault: Fault | undefined) => {
  hub.fault = ({ at }) => (at === 'store' ? fault : undefined)
}
/** Returns the byte ranges that the store was asked for since the last call. */
function askedRanges(): (string | null)[] {
  const ranges = hub.requests.filter(({ at }) => at === 'store').map(({ headers }) => headers.get('range'))
  return ranges
}

test('a file is fetched in chunks, and is in place with its sums and nothing beside it', async () => {
  const got = await pull(downloader())
  expect(readFileSync(target).equals(content)).toBe(true)
  expect(namesLeft()).toEqual(['model.bin'])
  expect(got).toMatchObject({ bytes: content.length, sha256: sha256Of(content), commit })
  const chunks = Array.from({ length: 8 }, (_, index) =>
    chunkSumOf(content.subarray(index * testChunkBytes, (index + 1) * testChunkBytes)),
  )
  expect(got.chunkSums).toEqual(chunks)
  expect(statSync(target).mode & 0o777).toBe(0o600)
  expect(askedRanges()).toHaveLength(8)
  expect(seen.map(({ phase }) => phase)).toEqual(expect.arrayContaining(['resolve', 'download', 'verify']))
  expect(seen.at(-1)).toMatchObject({ phase: 'verify', totalBytes: content.length })
})

test.each<[string, Fault]>([
  ['connections are cut every 20 KB', { kind: 'cut', afterBytes: 20_000 }],
  ['ranges are answered by the whole file', { kind: 'ignore-range' }],
  ['answers are compressed', { kind: 'gzip' }],
])('a file comes whole although %s', async (_, fault) => {
  store(fault)
  await pull(downloader())
  expect(sha256Of(readFileSync(target))).toBe(sha256Of(content))
  expect(namesLeft()).toEqual(['model.bin'])
})

test('an address that is good for one request is asked for again', async () => {
  hub.addressUses = 1
  await pull(downloader())
  expect(sha256Of(readFileSync(target))).toBe(sha256Of(content))
})

test('a server that refuses every range is asked for the whole file', async () => {
  hub.fault = ({ at, headers }) =>
    at === 'store' && headers.has('range') ? { kind: 'status', status: 403 } : undefined
  await pull(downloader())
  expect(sha256Of(readFileSync(target))).toBe(sha256Of(content))
})

test.each<[string, Fault, string]>([
  ['a page', { kind: 'html' }, 'it is a page, perhaps one to sign in to this network'],
  ['an answer of the wrong length', { kind: 'length', difference: 7 }, 'not what was asked for'],
  ['refusals', { kind: 'status', status: 403 }, '(403)'],
  ['a faulty server', { kind: 'status', status: 503 }, 'the server has an error (503)'],
  ['a redirect to a file', { kind: 'redirect', location: 'file:///etc/passwd' }, 'is neither https nor http'],
  ['wrong bytes', { kind: 'other-bytes' }, 'it came twice with the same content, so the server has another file'],
])('%s: the download ends with the reason, and nothing is in place', async (_, fault, message) => {
  store(fault)
  expect(await failureOf(pull(downloader()))).toMatchObject({ message: expect.stringContaining(message) })
  expect(namesLeft()).not.toContain('model.bin')
  store(undefined)
  await pull(downloader())
  expect(sha256Of(readFileSync(target))).toBe(sha256Of(content))
})

test('a connection that stalls, or gives a byte now and then, is dropped, and its chunk is asked for again', async () => {
  let stalled = 0
  hub.fault = ({ at }) => {
    if (at !== 'store' || stalled >= 2) return undefined
    stalled++
    return stalled === 1 ? { kind: 'stall', afterBytes: 1000 } : { kind: 'drip', pauseMs: 1 }
  }
  await pull(downloader({}, { stallMs: 100 }))
  expect(sha256Of(readFileSync(target))).toBe(sha256Of(content))
  expect(stalled).toBe(2)
  expect(seen.some(({ trouble }) => trouble?.includes('in 0.1 seconds; next attempt in'))).toBe(true)
})

test('bytes that came wrong once are fetched again', async () => {
  let asked = 0
  hub.fault = ({ at }) => (at === 'store' && ++asked === 1 ? { kind: 'other-bytes' } : undefined)
  await pull(downloader())
  expect(sha256Of(readFileSync(target))).toBe(sha256Of(content))
})

test('a stopped download goes on where it was, and asks only for what is missing', async () => {
  const controller = new AbortController()
  const stop = new Error('stopped')
  let asked = 0
  hub.fault = ({ at }) => {
    if (at === 'store' && ++asked === 5) controller.abort(stop)
    return undefined
  }
  expect(await failureOf(pull(downloader({ connections: 1 }), planned(), controller.signal))).toBe(stop)
  expect(namesLeft()).toEqual(['model.bin.part', 'model.bin.part.json'])
  const before = askedRanges().length
  hub.fault = () => undefined
  await pull(downloader())
  expect(askedRanges().length - before).toBe(4)
  expect(sha256Of(readFileSync(target))).toBe(sha256Of(content))
})

/** Stops a download after its fourth chunk. */
async function leavePart(): Promise<void> {
  const controller = new AbortController()
  let asked = 0
  hub.fault = ({ at }) => {
    if (at === 'store' && ++asked === 5) controller.abort(new Error('stopped'))
    return undefined
  }
  await failureOf(pull(downloader({ connections: 1 }), planned(), controller.signal))
  hub.fault = () => undefined
}

test.each<[string, () => void]>([
  ['bytes of a chunk were zeroed', () => void writeFileSync(`${target}.part`, zeroed(readFileSync(`${target}.part`)))],
  ['the part is shorter', () => truncateSync(`${target}.part`, 1000)],
  ['the part is gone', () => rmSync(`${target}.part`)],
  ['the note is gone', () => rmSync(`${target}.part.json`)],
  ['the note is damaged', () => truncateSync(`${target}.part.json`, 20)],
])('a part is not trusted when %s', async (_, damage) => {
  await leavePart()
  damage()
  await pull(downloader())
  expect(sha256Of(readFileSync(target))).toBe(sha256Of(content))
})

function zeroed(bytes: Buffer): Buffer {
  return bytes.fill(0, testChunkBytes + 5, testChunkBytes + 500)
}

test('a part of another version of the file is thrown away', async () => {
  await leavePart()
  const other = randomBytes(content.length, 2)
  hub.put('org/repo', 'model.bin', other)
  await pull(downloader())
  hub.put('org/repo', 'model.bin', content)
  expect(sha256Of(readFileSync(target))).toBe(sha256Of(other))
})

test('a file that changes while it is fetched is fetched anew', async () => {
  const other = randomBytes(content.length, 3)
  hub.addressUses = 3
  let asked = 0
  hub.fault = ({ at }) => {
    if (at === 'store' && ++asked === 3) hub.put('org/repo', 'model.bin', other)
    return undefined
  }
  await pull(downloader({ connections: 1 }))
  hub.put('org/repo', 'model.bin', content)
  expect(sha256Of(readFileSync(target))).toBe(sha256Of(other))
})

test('a file without a sum that changes on its server while it is fetched is fetched anew', async () => {
  const other = randomBytes(content.length, 4)
  let asked = 0
  hub.fault = () => {
    if (++asked === 4) hub.put('org/repo', 'model.bin', other)
    return undefined
  }
  const address = `${hub.storeOrigin}/plain/org/repo/model.bin`
  await pull(downloader({ connections: 1 }), planned('model.bin', { address }))
  hub.put('org/repo', 'model.bin', content)
  expect(sha256Of(readFileSync(target))).toBe(sha256Of(other))
})

test('a file whose length nobody says is fetched to its end', async () => {
  hub.fault = () => ({ kind: 'unsized' })
  const address = `${hub.storeOrigin}/plain/org/repo/model.bin`
  await pull(downloader(), planned('model.bin', { address }))
  expect(readFileSync(target).equals(content)).toBe(true)
  expect(namesLeft()).toEqual(['model.bin'])
})

test.each([
  ['model.gguf', 'is not a GGUF file'],
  ['config.json', 'is not JSON'],
  ['model.onnx', 'is no'],
])('a whole %s that is of another kind is not put in place', async (name, message) => {
  hub.put('org/repo', name, content)
  const file = planned(name)
  const error = await failureOf(
    downloader().download(file, join(folder, 'model', name), {
      signal: AbortSignal.timeout(20_000),
      onProgress: () => undefined,
    }),
  )
  expect(error).toMatchObject({ message: expect.stringContaining(`${name} ${message}`) })
  expect(namesLeft()).toEqual([])
})

test('a file that is there already is hashed and not fetched', async () => {
  mkdirSync(join(folder, 'model'), { recursive: true })
  writeFileSync(target, content)
  const before = hub.requests.length
  const got = await pull(downloader(), planned('model.bin', { sha256: sha256Of(content) }))
  expect(got.sha256).toBe(sha256Of(content))
  expect(hub.requests.length).toBe(before)
})

test('what the plan expects and the server says otherwise is an error before the first byte', async () => {
  const wrong = planned('model.bin', { sha256: 'b'.repeat(64) })
  const message = expect.stringMatching(
    /expected is the sha256 b+, 127.0.0.1:\d+ says [0-9a-f]{64} at commit [0-9a-f]{40}/,
  )
  expect(await failureOf(pull(downloader(), wrong))).toMatchObject({ message })
  const short = planned('model.bin', { bytes: 5 })
  expect(await failureOf(pull(downloader(), short))).toMatchObject({ message: expect.stringContaining('the length 5') })
})

test('two downloads of one file at once are one', async () => {
  const before = hub.requests.filter(({ at }) => at === 'store').length
  const [first, second] = await Promise.all([pull(downloader()), pull(downloader())])
  expect(second.sha256).toBe(first.sha256)
  expect(hub.requests.filter(({ at }) => at === 'store').length - before).toBe(8)
  expect(seen.some(({ phase }) => phase === 'wait')).toBe(true)
})

test('the rate is kept over all connections', async () => {
  const startMs = performance.now()
  await pull(downloader({ bytesPerSecond: content.length * 4 }))
  expect(performance.now() - startMs).toBeGreaterThan(150)
})
