/** Model management by programs for Ollama: a separate server process, and a model hub on loopback. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FakeHub, type HubRequest, startFakeHub } from '../../testing/fake-hub/fake-hub.ts'
import { tinyGguf } from '../../testing/gguf/tiny-gguf.ts'
import { type ServedProcess, startServedProcess } from '../../testing/served-process.ts'

// A download starts a child process that finds out what the model needs.
setDefaultTimeout(60_000)

const repository = 'maker/Tiny-GGUF'
const gguf = tinyGguf({ contextTokens: 2048 })
const isDownload = ({ at, number }: HubRequest) => at === 'store' && number > 1

let hub: FakeHub
let server: ServedProcess

beforeAll(async () => {
  hub = await startFakeHub()
  hub.put(repository, 'tiny-Q4_0.gguf', gguf)
  const flags = ['--ollama-port', '0', '--ollama-keyless', '--log-format', 'json']
  server = await startServedProcess(flags, { HF_ENDPOINT: hub.origin, HF_HOME: '/nowhere' })
  describeModel('tiny', '')
  describeModel('bound', 'license = "other"\nlicense_url = "https://example.org/l"\naccept_license = true\n')
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await hub[Symbol.asyncDispose]()
})

/** Writes a manifest of the operator. */
function describeModel(name: string, lines: string): void {
  const folder = join(server.dataDir, 'models.d')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = `[[files]]\nrole = "model"\nname = "tiny.gguf"\nurl = "hf://${repository}/tiny-Q4_0.gguf"\n`
  writeFileSync(join(folder, `${name}.toml`), `id = "me/${name}"\ntype = "chat"\nengine = "llama"\n${lines}${file}`)
}

/** Sends a request. Calls `onText` with the text so far at each piece of the answer. */
async function ask(
  method: string,
  path: string,
  body: object | undefined,
  key: string | undefined = server.key,
  onText: (text: string) => void = () => undefined,
) {
  const response = await fetch(`${server.ollamaUrl}/api/${path}`, {
    method,
    headers: key === '' ? {} : { authorization: `Bearer ${key}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  let text = ''
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece
    onText(text)
  }
  const lines: Record<string, unknown>[] = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  return { status: response.status, type: response.headers.get('content-type'), text, lines }
}

test('a download is told in lines, and what is here then is pulled at once, also without a key', async () => {
  const isListed = async () => (await ask('GET', 'tags', undefined)).text.includes('"me/tiny:latest"')
  expect(await isListed()).toBe(false)
  expect(await ask('POST', 'pull', { name: 'me/tiny' }, '')).toMatchObject({
    status: 403,
    lines: [{ code: 'operator_only', error: expect.stringContaining("operator's account") }],
  })
  const gate = Promise.withResolvers<undefined>()
  const isFollowed = Promise.withResolvers<void>()
  hub.fault = (request) => (isDownload(request) ? gate.promise : undefined)
  const first = ask('POST', 'pull', { name: 'ME/Tiny:latest' }, server.key, (text) => {
    if (text.includes('"digest"')) isFollowed.resolve()
  })
  await isFollowed.promise
  const second = ask('POST', 'pull', { model: 'me/tiny', stream: false, insecure: false })
  gate.resolve(undefined)
  const { status, type, text, lines } = await first
  expect({ status, type }).toEqual({ status: 200, type: 'application/x-ndjson' })
  expect(text).toEndWith('\n')
  expect(lines[0]).toEqual({ status: 'pulling manifest' })
  expect(lines[1]).toEqual({
    status: expect.stringMatching(/^pulling [0-9a-f]{12}$/),
    digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    total: gguf.length,
  })
  expect(lines.slice(-3).map((line) => line.status)).toEqual(['verifying sha256 digest', 'writing manifest', 'success'])
  expect(await second).toMatchObject({ status: 200, lines: [{ status: 'success' }] })
  expect(await isListed()).toBe(true)
  const again = await ask('POST', 'pull', { name: 'me/tiny' }, '')
  expect(again.lines.map((line) => line.status)).toEqual([
    'pulling manifest',
    'verifying sha256 digest',
    'writing manifest',
    'success',
  ])
})

test('a model is deleted with a key of the operator alone', async () => {
  expect(await ask('DELETE', 'delete', { name: 'me/tiny' }, '')).toMatchObject({ status: 403 })
  expect(await ask('DELETE', 'delete', { name: 'me/tiny:latest' })).toMatchObject({ status: 200, text: '' })
  expect(await ask('DELETE', 'delete', { model: 'nobody/none' })).toMatchObject({ status: 404 })
  expect(await ask('DELETE', 'delete', {})).toMatchObject({ status: 400 })
})

test('a download that is refused, or fails, is told in a sentence', async () => {
  hub.fault = () => undefined
  expect(await ask('POST', 'pull', { name: 'me/bound' })).toMatchObject({
    status: 403,
    lines: [{ code: 'license_not_accepted', error: expect.stringMatching(/'.+ pull --data .+' on the machine/) }],
  })
  expect(await ask('POST', 'pull', { name: 'llama3.2' })).toMatchObject({
    status: 404,
    lines: [{ error: expect.stringContaining('pull model manifest') }],
  })
  hub.fault = (request) => (request.at === 'store' ? { kind: 'status', status: 403 } : undefined)
  for (const stream of [true, false]) {
    const { status, lines } = await ask('POST', 'pull', { name: 'me/tiny', stream })
    expect(status).toBeGreaterThanOrEqual(stream ? 200 : 400)
    expect(lines.at(-1)?.error).toBeString()
  }
})

test.each([
  ['POST', 'copy', { source: 'a', destination: 'b' }],
  ['POST', 'create', { model: 'a', from: 'b' }],
  ['POST', 'push', { model: 'a' }],
  ['POST', `blobs/sha256:${'0'.repeat(64)}`, {}],
])('%s %s is refused in a sentence', async (method, path, body) => {
  for (const key of [server.key, '']) {
    const { status, lines } = await ask(method, path, body, key)
    expect(status).toBe(400)
    expect(lines).toMatchObject([{ error: expect.stringContaining('docs/models.md') }])
  }
})

test('no file is known by its digest', async () => {
  expect(await ask('HEAD', `blobs/sha256:${'0'.repeat(64)}`, undefined)).toMatchObject({ status: 404, text: '' })
})

test('the log says at start that no key is needed', async () => {
  expect(await server.stop()).toContain('ollama-keyless')
})
