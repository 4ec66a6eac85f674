import { afterAll, beforeEach, expect, test } from 'bun:test'
import { startFakeHub } from '../../testing/fake-hub/fake-hub.ts'
import type { Fault } from '../../testing/fake-hub/fault.ts'
import { tinyGguf } from '../../testing/gguf/tiny-gguf.ts'
import { WebClient } from '../web/web-client.ts'
import { readRemoteHeader } from './remote-header.ts'

const MiB = 1024 ** 2
const hub = await startFakeHub()
afterAll(() => hub[Symbol.asyncDispose]())

const longHeader = tinyGguf({ chatTemplate: { jinja: 'x'.repeat(3 * MiB) } })
hub.put('org/repo', 'long.gguf', longHeader, { isLinked: false })
hub.put('org/repo', 'short.gguf', tinyGguf(), { isLinked: false })
beforeEach(() => {
  hub.fault = () => undefined
})

const questions = { pauseMs: () => 0 }
const client = new WebClient({ isInsecureAllowed: false, trustedOrigins: [], environment: {}, questions })
const read = (name: string, bytes: number | undefined) =>
  readRemoteHeader(
    client,
    { address: `${hub.origin}/org/repo/resolve/main/${name}`, name, bytes },
    AbortSignal.timeout(10_000),
  )
const rangesSince = (before: number) => hub.requests.slice(before).map(({ headers }) => headers.get('range'))

test('a header is read piece by piece until all of it is there', async () => {
  const before = hub.requests.length
  const bytes = await read('long.gguf', longHeader.length)
  expect(rangesSince(before)).toEqual([`bytes=0-${MiB - 1}`, `bytes=${MiB}-${longHeader.length - 1}`])
  expect(Buffer.from(bytes).equals(longHeader.subarray(0, bytes.length))).toBe(true)
})

test('a server without ranges gives the same', async () => {
  hub.fault = () => ({ kind: 'ignore-range' })
  const bytes = await read('long.gguf', longHeader.length)
  expect(Buffer.from(bytes).equals(longHeader.subarray(0, bytes.length))).toBe(true)
})

test('a header that cannot be read is named with its reason', async () => {
  await expect(read('short.gguf', undefined)).rejects.toThrow('the server does not say how long short.gguf is')
  await expect(read('short.gguf', 0)).rejects.toThrow('short.gguf is empty')
  hub.fault = () => ({ kind: 'length', difference: -tinyGguf().length + 100 })
  await expect(read('short.gguf', tinyGguf().length)).rejects.toThrow('short.gguf answers')
})

test.each<[name: string, fault: Fault]>([
  ['is lost at once', { kind: 'cut', afterBytes: 0 }],
  ['is lost on the way', { kind: 'cut', afterBytes: 1000 }],
  ['ends early without a word', { kind: 'length', difference: -100 }],
  ['gives 429', { kind: 'status', status: 429 }],
  ['gives 502', { kind: 'status', status: 502 }],
  ['gives 503', { kind: 'status', status: 503, headers: { 'retry-after': '0' } }],
  ['gives 504', { kind: 'status', status: 504 }],
])('a connection that %s is tried again, and what arrived is kept', async (_, fault) => {
  const before = hub.requests.length
  hub.fault = () => (hub.requests.length <= before + 2 ? fault : undefined)
  const bytes = await read('long.gguf', longHeader.length)
  expect(Buffer.from(bytes).equals(longHeader.subarray(0, bytes.length))).toBe(true)
  expect(hub.requests.length).toBeGreaterThan(before + 2)
})
