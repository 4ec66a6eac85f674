import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Download, downloadError, progressOf } from '../core/download.ts'
import { type FakeHub, type HubRequest, sha256Of, startFakeHub } from '../testing/fake-hub/fake-hub.ts'
import { tinyGguf } from '../testing/gguf/tiny-gguf.ts'
import { type OperatorBox, openOperatorBox, signedInOperator } from '../testing/operator-box.ts'
import { problemOf } from '../testing/refusal.ts'
import { perform } from './operations.ts'

// Each download runs a child process, which finds out the model's need of memory.
setDefaultTimeout(60_000)

const repository = 'maker/Tiny-GGUF'
const gguf = tinyGguf({ contextTokens: 2048 })
const source = 'me/tiny'

let hub: FakeHub
let box: OperatorBox

beforeEach(async () => {
  hub = await startFakeHub()
  hub.put(repository, 'tiny-Q4_0.gguf', gguf)
  box = openOperatorBox({ HF_ENDPOINT: hub.origin, HF_HOME: '/nowhere' })
  describeModel('license = "Apache-2.0"')
})
afterEach(async () => {
  await box[Symbol.asyncDispose]()
  await hub[Symbol.asyncDispose]()
})

/** Writes a manifest of the operator's own. */
function describeModel(lines: string): void {
  mkdirSync(join(box.dataDir, 'models.d'), { recursive: true, mode: 0o700 })
  const file = `[[files]]\nrole = "model"\nname = "tiny.gguf"\nurl = "hf://${repository}/tiny-Q4_0.gguf"\n`
  const head = `id = "${source}"\ntype = "chat"\nengine = "llama"\n${lines}\naliases = [{ id = "tiny" }]\n`
  writeFileSync(join(box.dataDir, 'models.d', 'tiny.toml'), head + file)
}

/** Resolves with the first state of the download that matches. */
function downloadWhere(isWanted: (download: Download) => boolean): Promise<Download> {
  return new Promise((resolve) => {
    const end = box.server.library.pulls.follow((state) => {
      if (!isWanted(state)) return
      end()
      resolve(state)
    })
  })
}

/** Returns whether a request is for the file itself. The first request reads only the header. */
const isDownload = ({ at, number }: HubRequest) => at === 'store' && number > 1

const rowOf = async (id: string) => (await box.perform('models-list', {})).models.find((row) => row.id === id)

test('a model whose download has only just begun is not removed', async () => {
  const untilStopped = (signal: AbortSignal) =>
    new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  box.server.library.pulls.begin(source, gguf.length, untilStopped)
  expect(await problemOf(box.perform('models-remove', { model: source }))).toMatchObject({ code: 'pull_running' })
})

test('a download runs in the server, is listed while it runs, and makes the model ready', async () => {
  const gate = Promise.withResolvers<undefined>()
  hub.fault = (request) => (isDownload(request) ? gate.promise : undefined)
  const isDone = downloadWhere(({ state }) => state === 'done')
  const begun = await box.perform('models-pull', { source: 'tiny' })
  expect(begun).toEqual({ model: source, missingBytes: gguf.length, notes: ['tiny is an alias of me/tiny'] })
  expect(await rowOf(source)).toMatchObject({ pull: { state: 'running', totalBytes: gguf.length }, fit: undefined })
  // A second click joins the same download.
  await box.perform('models-pull', { source })
  const downloads = box.server.library.pulls.states()
  expect(downloads.map(({ state }) => state)).toEqual(['running'])
  expect(downloads.map(downloadError)).toEqual([undefined])
  expect(await problemOf(box.perform('models-remove', { model: source }))).toMatchObject({ code: 'pull_running' })
  gate.resolve(undefined)
  const done = await isDone
  expect(done.model).toBe(source)
  expect(progressOf(done)).toMatchObject({ doneBytes: gguf.length, totalBytes: gguf.length })
  expect(await rowOf(source)).toMatchObject({
    status: 'ready',
    aliases: ['tiny'],
    diskBytes: gguf.length,
    memory: { source: 'guessed' },
    fit: { verdict: 'fits', pool: 'host' },
    isPinned: false,
  })
  const actions = box.services.stores.audit.list().map(({ action, actor }) => `${actor} ${action}`)
  expect(actions).toEqual(['operator:acc_1 model.pull'])
})

test('a model that is not in the catalog gets an id, is downloaded once, goes on after a cancel, and is removed', async () => {
  const address = `hf:${repository}:Q4_0`
  const asked = { source: address, id: 'my/own' }
  expect(await problemOf(box.perform('models-pull', { source: address }))).toMatchObject({
    code: 'pull_refused',
    reason: expect.stringContaining('give it an id'),
  })
  for (const id of ['own', '../own', 'my/own/x'])
    expect(await problemOf(box.perform('models-pull', { source: address, id }))).toMatchObject({ code: 'pull_refused' })
  const gate = Promise.withResolvers<undefined>()
  hub.fault = (request) => (isDownload(request) ? gate.promise : undefined)
  expect(await box.perform('models-pull', asked)).toMatchObject({ model: 'my/own' })
  // A second click joins the same download.
  expect(await box.perform('models-pull', asked)).toMatchObject({ model: 'my/own' })
  expect(box.server.library.pulls.states()).toMatchObject([{ model: 'my/own', state: 'running' }])
  await box.perform('models-pull-cancel', { model: 'my/own' })
  expect(await rowOf('my/own')).toMatchObject({ status: 'available', pull: { state: 'cancelled' } })
  hub.fault = () => undefined
  gate.resolve(undefined)
  const isDone = downloadWhere(({ state }) => state === 'done')
  await Promise.all([box.perform('models-pull', { source: 'my/own' }), box.perform('models-pull', asked)])
  await isDone
  expect(box.server.library.pulls.states()).toHaveLength(1)
  expect(await rowOf('my/own')).toMatchObject({ status: 'ready', diskBytes: gguf.length })
  expect(await box.perform('models-remove', { model: 'my/own' })).toMatchObject({ freedBytes: gguf.length })
  expect(await rowOf('my/own')).toBeUndefined()
})

test('of two downloads that are asked for at once, the later one begins nothing when the first one has ended', async () => {
  const { pulls } = box.server.library
  const asked = { source, id: undefined, withProjector: false, isForced: false }
  const [first, second] = await Promise.all([pulls.prepare(asked), pulls.prepare(asked)])
  if (first.kind !== 'prepared' || second.kind !== 'prepared') throw new Error('a download is refused')
  const isDone = downloadWhere(({ state }) => state === 'done')
  first.start()
  await isDone
  second.start()
  expect(pulls.states()).toMatchObject([{ model: source, state: 'done' }])
})

test('a cancelled download keeps what has come', async () => {
  const gate = Promise.withResolvers<undefined>()
  const isHeld = Promise.withResolvers<void>()
  hub.fault = (request) => {
    if (!isDownload(request)) return undefined
    isHeld.resolve()
    return gate.promise
  }
  await box.perform('models-pull', { source })
  await isHeld.promise
  expect(await box.perform('models-pull-cancel', { model: source })).toEqual({ model: source })
  expect(await rowOf(source)).toMatchObject({ status: 'available', pull: { state: 'cancelled', error: undefined } })
  // The file's only chunk does not count before it is complete.
  expect((await rowOf(source))?.stoppedBytes).toBe(0)
  expect(await problemOf(box.perform('models-pull-cancel', { model: source }))).toEqual({
    code: 'not_found',
    what: 'download',
    name: source,
  })
  gate.resolve(undefined)
})

test('without a network, or without room, nothing is begun, and the reason is told at once', async () => {
  hub.fault = () => ({ kind: 'status', status: 404 })
  expect(await problemOf(box.perform('models-pull', { source }))).toMatchObject({ code: 'pull_refused', why: 'source' })
  hub.fault = () => undefined
  await hub[Symbol.asyncDispose]()
  expect(await problemOf(box.perform('models-pull', { source }))).toMatchObject({ code: 'pull_refused', why: 'source' })
  expect(await problemOf(box.perform('models-pull', { source: 'no/such' }))).toMatchObject({
    reason: expect.stringContaining('the catalog has no model "no/such"'),
  })
  expect(existsSync(join(box.dataDir, 'models'))).toBe(false)
  expect(box.server.library.pulls.states()).toEqual([])
})

test('a model that does not fit into the memory is refused, unless that is wanted', async () => {
  await box[Symbol.asyncDispose]()
  box = openOperatorBox({ HF_ENDPOINT: hub.origin, HF_HOME: '/nowhere' }, { 'memory-limit': '1MB' })
  describeModel('license = "MIT"')
  expect(await problemOf(box.perform('models-pull', { source }))).toMatchObject({ code: 'pull_refused', why: 'memory' })
  const isDone = downloadWhere(({ state }) => state === 'done')
  await box.perform('models-pull', { source, force: true })
  await isDone
})

test('a file that is not what was promised fails the download with both sums', async () => {
  describeModel(`license = "MIT"`)
  hub.fault = (request) => (isDownload(request) ? { kind: 'other-bytes' } : undefined)
  const failed = downloadWhere(({ state }) => state === 'failed')
  await box.perform('models-pull', { source })
  expect(downloadError(await failed)).toContain(sha256Of(gguf))
})

test('a licence that binds is accepted by its name, once', async () => {
  describeModel('license = "LicenseRef-Own"\nlicense_url = "https://example.com/terms"\naccept_license = true')
  expect(await problemOf(box.perform('models-pull', { source }))).toEqual({
    code: 'license_not_accepted',
    model: source,
    license: 'LicenseRef-Own',
    text: 'https://example.com/terms',
  })
  const isDone = downloadWhere(({ state }) => state === 'done')
  await box.perform('models-pull', { source, acceptLicense: 'LicenseRef-Own' })
  await isDone
  expect(box.services.stores.acceptedLicenses.list()).toMatchObject([{ license: 'LicenseRef-Own', modelId: source }])
  expect(await box.perform('models-pull', { source })).toMatchObject({ missingBytes: 0 })
})

test('a model whose engine cannot be unloaded is removed all the same, and the reason is told', async () => {
  const isDone = downloadWhere(({ state }) => state === 'done')
  await box.perform('models-pull', { source })
  await isDone
  const unload = () => Promise.reject(new Error('it hangs'))
  await expect(box.server.library.remove(source, unload)).rejects.toThrow('it hangs')
  expect(existsSync(join(box.dataDir, 'models', 'me'))).toBe(false)
})

test('a model is shown with its files, sums and settings, and removed', async () => {
  const isDone = downloadWhere(({ state }) => state === 'done')
  await box.perform('models-pull', { source })
  await isDone
  const shown = await box.perform('models-show', { model: 'tiny' })
  expect(shown).toMatchObject({
    id: source,
    license: 'Apache-2.0',
    aliasDefaults: [{ id: 'tiny' }],
    files: [{ role: 'model', name: 'tiny.gguf', bytes: gguf.length, sha256: sha256Of(gguf) }],
  })
  expect(shown.settings.find(({ name }) => name === 'parallel')).toMatchObject({ source: 'default' })
  const remove = () => box.perform('models-remove', { model: source }).catch((error: unknown) => Object(error).problem)
  const outcomes = await Promise.all([remove(), remove()])
  expect(outcomes).toContainEqual(expect.objectContaining({ freedBytes: gguf.length }))
  expect(outcomes).toContainEqual({ code: 'model_not_removable', model: source, why: 'not-here' })
  expect(existsSync(join(box.dataDir, 'models', 'me'))).toBe(false)
  expect(await rowOf(source)).toMatchObject({ status: 'available', diskBytes: 0 })
  expect(await problemOf(box.perform('models-remove', { model: source }))).toEqual({
    code: 'model_not_removable',
    model: source,
    why: 'not-here',
  })
  expect(await problemOf(box.perform('models-remove', { model: 'inferd/starter-chat' }))).toMatchObject({
    why: 'carried',
  })
})

test('another box is shown the key for other boxes only for the password of the operator on a page', async () => {
  const shown: (string | null)[] = []
  using peer = Bun.serve({
    port: 0,
    fetch: ({ headers }) => {
      shown.push(headers.get('authorization'))
      return new Response('none here', { status: 404 })
    },
  })
  await using keyed = openOperatorBox({}, { 'share-key': 'key-of-the-peers' })
  const caller = await signedInOperator(keyed)
  const asked = { source: `inferd://127.0.0.1:${peer.port}/org/name` }
  for (const name of ['models-pull', 'models-pull-preview'] as const) {
    const ask = (input: object) => problemOf(perform(keyed.services, caller, { name, input: { ...asked, ...input } }))
    expect(await ask({})).toEqual({ code: 'wrong_password' })
    expect(await ask({ current: 'wrong' })).toEqual({ code: 'wrong_password' })
    expect(shown).toEqual([])
    expect(await ask({ current: 'right password' })).toMatchObject({ code: 'pull_refused', why: 'source' })
    expect(shown.splice(0)).toContain('Bearer key-of-the-peers')
  }
})
