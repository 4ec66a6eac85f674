import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCatalog } from '../../catalog/open-catalog.ts'
import { readLock } from '../../store/lock.ts'
import { type FakeHub, sha256Of, startFakeHub } from '../../testing/fake-hub/fake-hub.ts'
import type { Fault } from '../../testing/fake-hub/fault.ts'
import { tinyGguf } from '../../testing/gguf/tiny-gguf.ts'
import { runCommand } from '../../testing/run-cli.ts'

// Each pull starts a child process that estimates the model's memory.
setDefaultTimeout(60_000)

const repository = 'maker/Tiny-GGUF'
const gguf = tinyGguf({ contextTokens: 2048 })

let hub: FakeHub
let folder = ''
let data = ''

beforeEach(async () => {
  hub = await startFakeHub()
  hub.put(repository, 'tiny-Q4_0.gguf', gguf)
  folder = mkdtempSync(join(tmpdir(), 'inferd-pull-'))
  data = join(folder, 'data')
})
afterEach(async () => {
  await hub[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

const environment = () => ({ INFERD_DATA: data, HF_ENDPOINT: hub.origin, HF_HOME: folder })
const run = (...words: string[]) => runCommand(['pull', ...words], environment())
const source = `hf:${repository}:Q4_0`
const statusOf = (id: string) => openCatalog(data).resolve(id)?.entry.status.kind
const downloads = () => hub.requests.filter(({ at, method }) => at === 'store' && method === 'GET').length

test('a model is pulled whole, with a lock and a manifest, and is ready', async () => {
  const { code, out, error } = await run(source, '--id', 'me/tiny')
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('me/tiny is here, ') })
  expect(error).toMatch(/needs .* disk and .* memory; fits with 2k context/)
  expect(statusOf('me/tiny')).toBe('ready')
  const models = join(data, 'models/me/tiny')
  expect(readdirSync(models).sort()).toEqual(['lock.json', 'tiny-Q4_0.gguf'])
  expect(readLock(models)?.files).toMatchObject([
    { role: 'model', name: 'tiny-Q4_0.gguf', sha256: sha256Of(gguf), source: `hf:${repository}/tiny-Q4_0.gguf` },
  ])
  const manifest = readFileSync(join(data, 'models.d/me%2Ftiny.toml'), 'utf8')
  for (const part of ['context_length = 2048', `sha256 = "${sha256Of(gguf)}"`, 'commit = '])
    expect(manifest).toContain(part)
  expect(manifest).not.toContain('[pricing]')
})

test('a second pull fetches nothing, and repairs what was changed', async () => {
  await run(source, '--id', 'me/tiny')
  const before = downloads()
  expect((await run('me/tiny')).error).toContain('me/tiny: all files are here')
  expect(downloads()).toBe(before)
  const file = join(data, 'models/me/tiny/tiny-Q4_0.gguf')
  rmSync(file)
  expect(statusOf('me/tiny')).toBe('available')
  expect((await run('me/tiny')).code).toBe(0)
  expect(statusOf('me/tiny')).toBe('ready')
})

test('a model that is here and has sums is confirmed without a network', async () => {
  await run(source, '--id', 'me/tiny')
  const before = hub.requests.length
  expect(await run('me/tiny')).toMatchObject({ code: 0, error: expect.stringContaining('all files are here') })
  expect(hub.requests).toHaveLength(before)
  writeFileSync(join(data, 'models/me/tiny/tiny-Q4_0.gguf'), tinyGguf({ seed: 3 }))
  expect((await run('me/tiny')).code).toBe(0)
  expect(readFileSync(join(data, 'models/me/tiny/tiny-Q4_0.gguf')).equals(gguf)).toBe(true)
})

test('an equal file of another model is linked, not fetched', async () => {
  await run(source, '--id', 'me/tiny')
  const before = downloads()
  hub.put('other/Copy', 'copy.gguf', gguf)
  expect((await run('hf:other/Copy/copy.gguf', '--id', 'me/copy')).code).toBe(0)
  const [first, second] = ['tiny/tiny-Q4_0.gguf', 'copy/copy.gguf'].map(
    (path) => statSync(join(data, 'models/me', path)).ino,
  )
  expect(second).toBe(Number(first))
  // Only the header was requested.
  expect(downloads() - before).toBe(1)
})

test('a plan says what would be done, and nothing is', async () => {
  const { code, out, error } = await run(source, '--id', 'me/tiny', '--plan')
  expect({ code, error }).toEqual({ code: 0, error: '' })
  expect(out).toContain(`tiny-Q4_0.gguf  from hf:${repository}/tiny-Q4_0.gguf`)
  expect(existsSync(data)).toBe(false)
  const json = JSON.parse((await run(source, '--id', 'me/tiny', '--plan', '--json')).out)
  expect(json).toMatchObject([
    {
      model: 'me/tiny',
      missingBytes: gguf.length,
      diskProblem: null,
      memory: { fits: true, contextTokens: 2048 },
      files: [{ name: 'tiny-Q4_0.gguf', bytes: gguf.length, isHere: false }],
    },
  ])
})

test('a model that does not fit into the memory is not begun, unless that is wanted', async () => {
  const limited = (...words: string[]) =>
    runCommand(['pull', source, '--id', 'me/tiny', ...words], { ...environment(), INFERD_MEMORY_LIMIT: '1MB' })
  expect((await limited('--plan')).out).toMatch(
    /needs .* disk and .* memory; does not fit: models may have 1 MB memory/,
  )
  const { code, error } = await limited()
  expect({ code, error }).toEqual({ code: 1, error: expect.stringContaining('does not fit into the memory') })
  expect(existsSync(data)).toBe(false)
  expect((await limited('--force')).code).toBe(0)
})

test('as JSON every step is an event', async () => {
  const { out } = await run(source, '--id', 'me/tiny', '--json')
  const events = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(events[0]).toEqual({ event: 'begin', model: 'me/tiny', totalBytes: gguf.length })
  expect(events.some(({ phase }) => phase === 'download')).toBe(true)
  expect(events.at(-1)).toEqual({ event: 'ready', model: 'me/tiny', bytes: gguf.length, problem: null })
})

test('several models come in one command', async () => {
  await run(source, '--id', 'me/one')
  hub.put('other/B', 'b-Q4_0.gguf', tinyGguf({ seed: 2 }))
  await run('hf:other/B:Q4_0', '--id', 'me/two')
  for (const [model, file] of [
    ['one', 'tiny-Q4_0.gguf'],
    ['two', 'b-Q4_0.gguf'],
  ])
    rmSync(join(data, `models/me/${model}/${file}`))
  const { code, out } = await run('me/one', 'me/two')
  expect({ code, lines: out.trim().split('\n').length }).toEqual({ code: 0, lines: 2 })
  expect([statusOf('me/one'), statusOf('me/two')]).toEqual(['ready', 'ready'])
})

test('a file that is not what the hub promised is not kept', async () => {
  hub.fault = ({ at, method, headers }) =>
    at === 'store' && method === 'GET' && !headers.get('range')?.startsWith(`bytes=0-${gguf.length - 1}`)
      ? { kind: 'other-bytes' }
      : undefined
  const wrong = 'd'.repeat(64)
  const { code, error } = await run(
    `${hub.storeOrigin}/plain/${repository}/tiny-Q4_0.gguf`,
    '--id',
    'me/tiny',
    '--sha256',
    wrong,
  )
  expect({ code, error }).toEqual({ code: 1, error: expect.stringContaining('inferd: tiny-Q4_0.gguf ') })
  expect(statusOf('me/tiny')).toBe('available')
})

test('what may work later has an exit code of its own', async () => {
  await hub[Symbol.asyncDispose]()
  const { code, error } = await run(source, '--id', 'me/tiny')
  expect(code).toBe(3)
  expect(error).toContain('cannot be reached')
  hub = await startFakeHub()
})

test.each([
  [['x/y'], 1, 'the catalog has no model "x/y"'],
  [[`hf:${repository}:Q4_0`], 1, 'give it an id of your own, such as org/name (--id)'],
  [['inferd/starter-chat', '--id', 'me/chat'], 1, 'has its id already: leave out the id (--id)'],
  [[`hf:${repository}:Q4_0`, '--id', 'nothing'], 2, '--id must be <org>/<name>'],
  [[`hf:${repository}:Q4_0`, '--id', 'a/b', '--sha256', 'x'], 2, '--sha256 must be 64 hexadecimal digits'],
  [['a/b', 'c/d', '--id', 'a/b'], 2, '--id and --sha256 are for one model'],
])('%j ends with %d', async (words, code, problem) => {
  const result = await run(...words)
  expect(result.code).toBe(code)
  expect(result.error).toContain(problem)
})

test('an error page in place of a file is refused before anything is written', async () => {
  hub.fault = ({ at }) => (at === 'store' ? { kind: 'html' } : undefined)
  const { code, error } = await run(`${hub.storeOrigin}/plain/${repository}/tiny-Q4_0.gguf`, '--id', 'me/tiny')
  expect({ code, error }).toEqual({ code: 1, error: expect.stringContaining('tiny-Q4_0.gguf') })
  expect(existsSync(join(data, 'models.d'))).toBe(false)
})

test.each<[name: string, fault: Fault]>([
  ['is reset', { kind: 'cut', afterBytes: 0 }],
  ['ends early', { kind: 'cut', afterBytes: 20 }],
  ['gives 503', { kind: 'status', status: 503, headers: { 'retry-after': '0' } }],
  ['gives 429', { kind: 'status', status: 429 }],
])('a pull whose every request %s once goes on to its end', async (_, fault) => {
  const seen = new Set<string>()
  hub.fault = ({ at, method, url, headers }) => {
    const question = `${at} ${method} ${url.pathname} ${headers.get('range')}`
    if (seen.has(question)) return undefined
    seen.add(question)
    return fault
  }
  const { code, out, error } = await run(source, '--id', 'me/tiny')
  expect({ code, out, error }).toMatchObject({ code: 0, out: expect.stringContaining('me/tiny is here, ') })
  expect(error).toContain('next attempt in 1 s')
  expect(seen.size).toBeGreaterThan(3)
  expect(statusOf('me/tiny')).toBe('ready')
})

test('a model whose template is broken is pulled, and the plan says what that means', async () => {
  hub.put(repository, 'broken-Q8_0.gguf', tinyGguf({ chatTemplate: { jinja: '{{ if .System }}x{{ end }}' } }))
  const { code, error } = await run(`hf:${repository}:Q8_0`, '--id', 'me/broken', '--plan')
  expect({ code, error }).toEqual({ code: 0, error: expect.stringContaining('so chats use ChatML') })
})
