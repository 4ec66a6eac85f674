import { afterAll, beforeEach, expect, test } from 'bun:test'
import { startFakeHub } from '../../testing/fake-hub/fake-hub.ts'
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

const client = new WebClient({ isInsecureAllowed: false, trustedOrigins: [], environment: {} })
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
  await expect(read('short.gguf', tinyGguf().length)).rejects.toThrow('short.gguf has no header in its first 100 bytes')
})
