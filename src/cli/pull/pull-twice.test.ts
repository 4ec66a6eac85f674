/** Pulls that are stopped, and several pulls at once. */

import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCatalog } from '../../catalog/open-catalog.ts'
import { removePullNote, writePullNote } from '../../catalog/pull-note.ts'
import { readLock } from '../../store/lock.ts'
import { type FakeHub, sha256Of, startFakeHub } from '../../testing/fake-hub/fake-hub.ts'
import { runCommand } from '../../testing/run-cli.ts'
import { startServedProcess } from '../../testing/served-process.ts'
import { testedProgram } from '../../testing/tested-program.ts'

setDefaultTimeout(60_000)

const content = new Uint8Array(300_000).map((_, index) => index % 251)

let hub: FakeHub
let folder = ''
let data = ''

beforeEach(async () => {
  hub = await startFakeHub()
  hub.put('org/repo', 'm.bin', content)
  folder = mkdtempSync(join(tmpdir(), 'inferd-pull-twice-'))
  data = join(folder, 'data')
  mkdirSync(join(data, 'models.d'), { recursive: true, mode: 0o700 })
  manifest()
})
afterEach(async () => {
  await hub[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

/** Writes the manifest of a model whose header a pull does not read. */
function manifest(...lines: string[]) {
  const head = ['id = "me/one"', 'type = "chat"', 'engine = "fake"', ...lines]
  const file = ['[[files]]', 'role = "model"', 'url = "hf://org/repo/m.bin"']
  writeFileSync(join(data, 'models.d/one.toml'), [...head, ...file, ''].join('\n'))
}

const environment = () => ({ INFERD_DATA: data, HF_ENDPOINT: hub.origin, HF_HOME: folder })
const run = (...words: string[]) => runCommand(['pull', 'me/one', ...words], environment())
const status = () => openCatalog(data).resolve('me/one')?.entry.status
const model = () => join(data, 'models/me/one')

test('a pull that is stopped keeps what it has and says how to go on; a model is downloading meanwhile', async () => {
  const begun = Promise.withResolvers<void>()
  hub.fault = ({ at, method }) => {
    if (at !== 'store' || method !== 'GET') return undefined
    begun.resolve()
    return { kind: 'stall', afterBytes: 100_000 }
  }
  const child = Bun.spawn([...testedProgram, 'pull', 'me/one'], {
    env: environment(),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  await begun.promise
  expect(status()).toMatchObject({ kind: 'downloading', totalBytes: content.length })
  child.kill('SIGINT')
  const [error, code] = await Promise.all([new Response(child.stderr).text(), child.exited])
  expect({ code, error }).toEqual({ code: 1, error: expect.stringContaining('run the same command again to go on') })
  expect(status()).toEqual({ kind: 'available' })
  expect(existsSync(join(model(), 'm.bin.part'))).toBe(true)
  hub.fault = () => undefined
  expect((await run()).code).toBe(0)
  expect(status()).toEqual({ kind: 'ready' })
  expect(readdirSync(model()).sort()).toEqual(['lock.json', 'm.bin'])
})

test('two pulls of one model download it once', async () => {
  const both = await Promise.all([run(), run()])
  expect(both.map(({ code }) => code)).toEqual([0, 0])
  expect(hub.requests.filter(({ at, method }) => at === 'store' && method === 'GET')).toHaveLength(1)
  expect(readLock(model())?.files).toMatchObject([{ name: 'm.bin', sha256: sha256Of(content) }])
  expect(readdirSync(model()).sort()).toEqual(['lock.json', 'm.bin'])
})

test('a licence that binds who serves the model is accepted once, by flag or by answer', async () => {
  manifest('license = "LicenseRef-X"', 'license_url = "https://example.com/x"', 'accept_license = true')
  const { code, error } = await run()
  expect(code).toBe(1)
  expect(error).toContain('--accept-license LicenseRef-X')
  expect(error).toContain('licence LicenseRef-X: https://example.com/x')
  expect(status()).toEqual({ kind: 'available' })
  const answered = (answer: string) => runCommand(['pull', 'me/one'], environment(), [answer])
  expect((await answered('no')).error).toContain('LicenseRef-X was not accepted; nothing was changed')
  expect((await answered('yes')).code).toBe(0)
  rmSync(model(), { recursive: true })
  expect((await run()).code).toBe(0)
  const audit = await runCommand(['audit', '--json'], environment())
  const accepted = JSON.parse(audit.out).filter(({ action }: { action: string }) => action === 'license.accept')
  expect(accepted).toMatchObject([
    { details: { license: 'LicenseRef-X', text: 'https://example.com/x', model: 'me/one' } },
  ])
})

test('a licence whose text lies elsewhere is asked for again', async () => {
  const terms = (number: number) =>
    manifest('license = "LicenseRef-X"', `license_url = "https://example.com/${number}"`, 'accept_license = true')
  terms(1)
  expect((await run('--accept-license', 'LicenseRef-X')).code).toBe(0)
  terms(2)
  expect((await run()).error).toContain('asks to accept its licence')
})

test('a flag accepts only the licence that it names', async () => {
  manifest('license = "LicenseRef-X"', 'accept_license = true')
  expect((await run('--accept-license', 'LicenseRef-Y')).code).toBe(1)
  const words = ['pull', '--accept-license', 'licenseref-x', '--accept-license', 'MIT', 'me/one']
  expect((await runCommand(words, environment())).code).toBe(0)
})

test('a running server lists a model as downloading, and serves it when it is whole', async () => {
  await using server = await startServedProcess()
  data = server.dataDir
  mkdirSync(join(data, 'models.d'), { recursive: true, mode: 0o700 })
  manifest()
  const listed = async () => Object(await (await fetch(`${server.baseUrl}/models/me%2Fone`)).json()).status
  expect(await listed()).toBe('available')
  mkdirSync(model(), { recursive: true })
  // A running pull writes this note.
  writePullNote(model(), { doneBytes: 1, totalBytes: 2, promisedBytes: 0 })
  expect(await listed()).toBe('downloading')
  removePullNote(model())
  expect((await run()).code).toBe(0)
  expect(await listed()).toBe('ready')
  const answer = await fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'me/one', messages: [{ role: 'user', content: 'hello' }] }),
  })
  expect(answer.status).toBe(200)
})
