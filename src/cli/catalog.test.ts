import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { shippedManifests } from '../../models/index.ts'
import { parseManifest } from '../catalog/parse-manifest.ts'
import { type FakeHub, sha256Of, startFakeHub } from '../testing/fake-hub/fake-hub.ts'
import type { Fault } from '../testing/fake-hub/fault.ts'
import { runCommand } from '../testing/run-cli.ts'

const content = new TextEncoder().encode('weights')
const sum = sha256Of(content)

let hub: FakeHub
let folder = ''
let commit = ''

beforeEach(async () => {
  hub = await startFakeHub()
  commit = hub.put('org/repo', 'm.gguf', content).commit
  folder = mkdtempSync(join(tmpdir(), 'inferd-catalog-check-'))
  mkdirSync(join(folder, 'data/models.d'), { recursive: true, mode: 0o700 })
})
afterEach(async () => {
  await hub[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

function manifest(...lines: string[]) {
  const file = ['[[files]]', 'role = "model"', ...lines]
  const head = ['id = "me/one"', 'type = "chat"', 'engine = "llama"']
  writeFileSync(join(folder, 'data/models.d/one.toml'), [...head, ...file, ''].join('\n'))
}

const check = (...words: string[]) =>
  runCommand(['catalog', 'check', ...words], {
    INFERD_DATA: join(folder, 'data'),
    HF_ENDPOINT: hub.origin,
    HF_HOME: folder,
  })
const url = 'url = "hf://org/repo/m.gguf"'

test('what is as the manifest says is confirmed', async () => {
  manifest(url, `commit = "${commit}"`, `bytes = ${content.length}`, `sha256 = "${sum}"`)
  expect(await check('me/one')).toEqual({ code: 0, error: '', out: expect.stringMatching(/me\/one +m\.gguf +ok\n$/) })
})

test('what the manifest does not say is printed as it would say it', async () => {
  manifest(url)
  const { code, out } = await check('me/one')
  expect(code).toBe(0)
  expect(out).toContain('not confirmed')
  expect(out).toContain(`commit = "${commit}"\nbytes = ${content.length}\nsha256 = "${sum}"\n`)
})

test.each([
  [[url, `sha256 = "${'a'.repeat(64)}"`], 'differs', `sha256 is ${sum}, the manifest says a`],
  [[url, 'bytes = 8'], 'differs', 'bytes is 7, the manifest says 8'],
  [['url = "hf://org/repo/other.gguf"'], 'gone', 'no such file'],
  [[url, `commit = "${'b'.repeat(40)}"`], 'gone', 'no such revision'],
  [[url, `commit = "${'b'.repeat(40)}"`, `sha256 = "${sum}"`], 'differs', 'commit is '],
])('%j is %s', async (lines, state, note) => {
  manifest(...lines)
  const { code, out, error } = await check('me/one')
  expect({ code, error }).toEqual({ code: 1, error: 'inferd: 1 file of 1 not as the manifests say\n' })
  expect(out).toContain(state)
  expect(out).toContain(note)
  const [row] = JSON.parse((await check('me/one', '--json')).out)
  expect(row).toMatchObject({ model: 'me/one', kind: state })
})

test('a hub that does not answer says nothing of the files', async () => {
  manifest(url)
  hub.fault = () => ({ kind: 'status', status: 503 })
  const { code, error } = await check('me/one')
  expect({ code, error }).toEqual({ code: 3, error: expect.stringContaining('try again later') })
})

test('an address that is not asked says nothing of the file', async () => {
  manifest('url = "http://93.184.216.34/m.gguf"')
  const { code, out } = await check('me/one')
  expect({ code, out }).toEqual({ code: 3, out: expect.stringContaining('unreachable') })
})

test('all files of the shipped models are asked for', async () => {
  const models = shippedManifests.map(({ file, content }) => parseManifest(file, content))
  // Tests ask no servers but their own: models with other sources are left out.
  const ofHub = models.filter(({ files }) => files.every(({ url }) => url?.startsWith('hf:')))
  const { code, out } = await check('--json', ...ofHub.map(({ id }) => id))
  const rows: { model: string; kind: string }[] = JSON.parse(out)
  expect(code).toBe(1)
  expect(new Set(rows.map(({ model }) => model)).size).toBe(18)
  expect(rows.filter(({ model }) => model === 'openai/gpt-oss-120b')).toHaveLength(3)
})

test('a model that the catalog does not have is an error', async () => {
  expect(await check('no/model')).toMatchObject({ code: 1, error: expect.stringContaining('no model "no/model"') })
})

test.each<[name: string, fault: Fault]>([
  ['is reset', { kind: 'cut', afterBytes: 0 }],
  ['gives 502', { kind: 'status', status: 502 }],
])('a question whose connection %s once is asked again', async (_, fault) => {
  manifest(url, `commit = "${commit}"`, `bytes = ${content.length}`, `sha256 = "${sum}"`)
  const before = hub.requests.length
  hub.fault = () => (hub.requests.length === before + 1 ? fault : undefined)
  expect(await check('me/one')).toMatchObject({ code: 0, out: expect.stringMatching(/me\/one +m\.gguf +ok\n$/) })
})
