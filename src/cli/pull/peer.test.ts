/** Models from another box, over real servers on loopback. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importTiny } from '../../testing/bundle-box.ts'
import { tinyGguf } from '../../testing/gguf/tiny-gguf.ts'
import { runCommand } from '../../testing/run-cli.ts'
import { type ServedProcess, startServedProcess } from '../../testing/served-process.ts'

let folder = ''
let giver: ServedProcess
let taker: ServedProcess

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-peer-'))
  giver = await startServedProcess(['--share', 'key'])
  taker = await startServedProcess()
  writeFileSync(join(folder, 'own.gguf'), tinyGguf())
  await importTiny(join(folder, 'own.gguf'), 'org/own', giver.dataDir, ['own'])
})
afterAll(async () => {
  await giver[Symbol.asyncDispose]()
  await taker[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

async function done(words: string[], environment: Record<string, string> = {}): Promise<string> {
  const { code, out, error } = await runCommand(words, environment)
  if (code !== 0) throw new Error(`${words.join(' ')}: ${error}`)
  return out + error
}

function pull(id: string, { key = giver.key, from = giver, to = taker.dataDir, words = [] as string[] } = {}) {
  const source = `inferd://${new URL(from.baseUrl).host}/${id}`
  return runCommand(['pull', source, '--data', to, ...words], key === '' ? {} : { INFERD_SHARE_KEY: key })
}

test('a model of another box is fetched, and the running server has it at once', async () => {
  const { code, error } = await pull('org/own')
  expect({ code, error }).toEqual({
    code: 0,
    error: expect.stringMatching(
      /org\/own is not in the catalog: its manifest and its sums are trusted from 127.0.0.1/,
    ),
  })
  const name = 'models/org/own/own.gguf'
  expect(readFileSync(join(taker.dataDir, name)).equals(readFileSync(join(giver.dataDir, name)))).toBe(true)
  const lock = JSON.parse(readFileSync(join(taker.dataDir, 'models/org/own/lock.json'), 'utf8'))
  expect(lock.files[0].source).toBe(`inferd://${new URL(giver.baseUrl).host}/org/own/own.gguf`)
  expect(JSON.stringify(lock)).not.toContain(giver.key)
  const { data } = Object(await (await fetch(`${taker.baseUrl}/models`)).json())
  expect(data).toContainEqual(expect.objectContaining({ id: 'org/own', status: 'ready' }))
  const again = await pull('org/own')
  expect(again).toMatchObject({ code: 0, error: expect.stringContaining('all files are here') })
})

test('the own catalog is believed before the other box', async () => {
  const box = join(folder, 'other')
  const sum = (digit: string) => `sha256 = "${digit.repeat(64)}"`
  const manifest = (name: string, line: string) =>
    `id = "org/own"\ntype = "chat"\nengine = "llama"\n[[files]]\nrole = "model"\nname = "${name}"\nurl = "https://example.com/own.gguf"\n${line}\n`
  mkdirSync(join(box, 'models.d'), { recursive: true, mode: 0o700 })
  const put = (text: string) => writeFileSync(join(box, 'models.d/own.toml'), text)
  put(manifest('own.gguf', sum('a')))
  expect(await pull('org/own', { to: box })).toMatchObject({
    code: 1,
    error: expect.stringContaining('has another own.gguf of org/own than the catalog names'),
  })
  put(manifest('other.gguf', ''))
  expect(await pull('org/own', { to: box })).toMatchObject({
    code: 1,
    error: expect.stringContaining('lacks other.gguf'),
  })
  expect(readdirSync(box)).toEqual(['models.d'])
  put(manifest('own.gguf', ''))
  expect(await pull('org/own', { to: box })).toMatchObject({
    code: 0,
    error: expect.stringContaining('since the catalog has no sums: own.gguf'),
  })
})

test('a box that does not share, a wrong key and an unknown model are told apart', async () => {
  expect(await pull('org/none')).toMatchObject({ code: 1, error: expect.stringContaining('it shares org/own') })
  const wrong = `${giver.key.slice(0, -3)}xyz`
  for (const key of ['', wrong]) {
    const refused = await pull('org/own', { key })
    expect(refused.error).not.toContain(wrong)
    expect(refused).toMatchObject({ code: 1, error: expect.stringContaining('set INFERD_SHARE_KEY to an API key') })
  }
  expect(await pull('org/own', { from: taker, key: taker.key })).toMatchObject({
    code: 1,
    error: expect.stringContaining('its operator must set share = "key" there'),
  })
  const data = giver.dataDir
  await done(['users', 'create', 'ada@example.org', '--data', data])
  const { key } = JSON.parse(
    await done(['keys', 'create', '--account', 'ada@example.org', '--name', 'x', '--json', '--data', data]),
  )
  expect(await pull('org/own', { key })).toMatchObject({
    code: 1,
    error: expect.stringContaining("a key of its operator's own account"),
  })
})

/** Starts a box that gives the test's answers and records the keys sent to it. */
function liar(answer: (path: string) => Response) {
  const keys: (string | null)[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      keys.push(request.headers.get('authorization'))
      return answer(new URL(request.url).pathname)
    },
  })
  return { server, keys, baseUrl: `${server.url.origin}/v1`, [Symbol.dispose]: () => server.stop(true) }
}

interface ListedModel {
  manifest: string
  readonly files: [{ name: string; sha256: string }]
}

/** Returns the giver's list with its first model changed. */
async function listOf(change: (model: ListedModel) => unknown): Promise<Response> {
  const address = `${new URL(giver.baseUrl).origin}/share/v1/models`
  const listed = Object(await (await fetch(address, { headers: { authorization: `Bearer ${giver.key}` } })).json())
  change(listed.models[0])
  return Response.json(listed)
}

const toShadow = (manifest: string) => manifest.replace(/path = .*/, 'path = "/etc/shadow"')

const lies: readonly (readonly [what: string, change: (model: ListedModel) => unknown, reason: string])[] = [
  ['a path outside', ({ files }) => Object.assign(files[0], { name: '../../../evil' }), 'the name "../../../evil"'],
  ['a sum that is a path', ({ files }) => Object.assign(files[0], { sha256: '../../x' }), '"files.0.sha256"'],
  ['an absolute path', (model) => Object.assign(model, { manifest: toShadow(model.manifest) }), '"/etc/shadow"'],
  ['another model', (model) => Object.assign(model, { manifest: model.manifest.replace('own', 'x') }), 'of org/x'],
]

test.each(lies)('a box that names %s is not believed', async (_, change, reason) => {
  const list = await listOf(change)
  using box = liar(() => list.clone() as Response)
  const to = join(folder, 'victim')
  const from = { ...giver, baseUrl: box.baseUrl }
  expect(await pull('org/own', { from, to })).toMatchObject({ code: 1, error: expect.stringContaining(reason) })
  expect(readdirSync(folder)).not.toContain('victim')
})

test('a box that sends something else than it has listed is not believed', async () => {
  const list = await listOf(() => undefined)
  const bytes = Buffer.from(tinyGguf())
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  using box = liar((path) => (path.endsWith('/models') ? (list.clone() as Response) : new Response(bytes)))
  const to = join(folder, 'victim')
  const from = { ...giver, baseUrl: box.baseUrl }
  expect(await pull('org/own', { from, to })).toMatchObject({ code: 1, error: expect.stringContaining('sha256') })
  expect(readdirSync(join(to, 'models/org/own'))).not.toContain('own.gguf')
})

test('the key goes to the box that was named, and nowhere else', async () => {
  using other = liar(() => new Response('x'))
  using box = liar(() => Response.redirect(`${other.server.url.origin}/share/v1/models`))
  await pull('org/own', { from: { ...giver, baseUrl: box.baseUrl }, to: join(folder, 'third'), words: ['--insecure'] })
  expect(box.keys).toEqual([`Bearer ${giver.key}`])
  expect(other.keys).toEqual([null])
})
