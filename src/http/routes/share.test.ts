import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { appendFileSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SharedModels } from '../../store/share/shared-models.ts'
import { type BundleBox, bundleBox } from '../../testing/bundle-box.ts'
import { startTestServer, type TestServer } from '../../testing/test-server.ts'

let box: BundleBox
let server: TestServer
let content = Buffer.alloc(0)
let sum = ''
const filePath = () => join(box.dataDir, 'models/org/one/org-one.gguf')

beforeAll(async () => {
  box = bundleBox()
  await box.addModel('org/one')
  content = readFileSync(filePath())
  sum = createHash('sha256').update(content).digest('hex')
  server = startTestServer({ share: share() })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  box[Symbol.dispose]()
})

function share(bytesPerSecond?: number): SharedModels {
  return new SharedModels({ dataDir: box.dataDir, entries: () => box.catalog.entries(), bytesPerSecond })
}

function get(path: string, headers: Record<string, string> = {}, { method = 'GET', from = server } = {}) {
  const authorization = `Bearer ${from.keys.valid}`
  return fetch(`${from.url}/share/v1/${path}`, { method, headers: { authorization, ...headers } })
}

test('models are listed with their manifests and the sums of their files', async () => {
  const { format, models } = Object(await (await get('models')).json())
  expect(format).toBe(1)
  expect(models).toMatchObject([
    { id: 'org/one', files: [{ name: 'org-one.gguf', role: 'model', bytes: content.length, sha256: sum }] },
  ])
  expect(models[0].manifest).toContain('path = "../models/org/one/org-one.gguf"')
})

test('a file is given whole and in parts, under a strong tag', async () => {
  const whole = await get(`blobs/${sum}`)
  expect(whole.status).toBe(200)
  expect(whole.headers.get('etag')).toBe(`"${sum}"`)
  expect(content.equals(Buffer.from(await whole.arrayBuffer()))).toBe(true)
  const part = await get(`blobs/${sum}`, { range: 'bytes=1000-1999' })
  expect(part.status).toBe(206)
  expect(part.headers.get('content-range')).toBe(`bytes 1000-1999/${content.length}`)
  expect(content.subarray(1000, 2000).equals(Buffer.from(await part.arrayBuffer()))).toBe(true)
  const head = await get(`blobs/${sum}`, {}, { method: 'HEAD' })
  expect(head.headers.get('content-length')).toBe(String(content.length))
  expect(head.headers.get('accept-ranges')).toBe('bytes')
  const none = await get(`blobs/${sum}`, { range: `bytes=${content.length}-` })
  expect([none.status, none.headers.get('content-range')]).toEqual([416, `bytes */${content.length}`])
})

test('a part of another content than the client has begun is not given', async () => {
  const range = { range: 'bytes=5-9' }
  expect((await get(`blobs/${sum}`, { ...range, 'if-range': `"${sum}"` })).status).toBe(206)
  expect((await get(`blobs/${sum}`, { ...range, 'if-range': '"other"' })).status).toBe(200)
})

test.each([
  'blobs/',
  `blobs/${'a'.repeat(64)}`,
  'blobs/..%2f..%2finferd.db',
  'blobs/%2e%2e/%2e%2e/inferd.db',
  'blobs//etc/passwd',
  'blobs/models/org/one/org-one.gguf',
])('%s names nothing', async (path) => {
  expect((await get(path)).status).toBe(404)
})

test('capitals are another name', async () => {
  expect((await get(`blobs/${sum.toUpperCase()}`)).status).toBe(404)
})

test('what is sent keeps to the rate, over all connections', async () => {
  await using own = startTestServer({ share: share(4 * content.length) })
  const startedMs = performance.now()
  const answers = await Promise.all([1, 2, 3].map(() => get(`blobs/${sum}`, {}, { from: own })))
  for (const answer of answers) expect(content.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true)
  expect(performance.now() - startedMs).toBeGreaterThan(400)
  const head = await get(`blobs/${sum}`, {}, { from: own, method: 'HEAD' })
  expect(head.headers.get('content-length')).toBe(String(content.length))
})

test('what was changed since its sum was taken, or is in no lock, is not given', async () => {
  await using own = startTestServer({ share: share() })
  const fetched = () => get(`blobs/${sum}`, {}, { from: own }).then(({ status }) => status)
  expect(await fetched()).toBe(200)
  const aside = `${filePath()}.aside`
  renameSync(filePath(), aside)
  writeFileSync(filePath(), content)
  expect(await fetched()).toBe(404)
  renameSync(aside, filePath())
  utimesSync(filePath(), 1, 1)
  expect(await fetched()).toBe(404)
  appendFileSync(join(box.dataDir, 'models/org/one/lock.json'), '}')
  expect((await get('models', {}, { from: own })).status).toBe(200)
})

test('where nothing is shared there is nothing at these paths', async () => {
  await using own = startTestServer()
  expect((await get('models', {}, { from: own })).status).toBe(404)
  expect((await fetch(`${own.url}/share/v1/models`)).status).toBe(404)
})
