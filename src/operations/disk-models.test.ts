import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publicKeyText } from '../store/minisign/public-key.ts'
import { bundleBox } from '../testing/bundle-box.ts'
import { tinyGguf } from '../testing/gguf/tiny-gguf.ts'
import { type OperatorBox, openOperatorBox } from '../testing/operator-box.ts'
import { OperationError } from './problem.ts'

// An import tries the model in a child process.
setDefaultTimeout(60_000)

let box: OperatorBox
let disk = ''

beforeEach(() => {
  box = openOperatorBox()
  disk = mkdtempSync(join(tmpdir(), 'inferd-disk-'))
})
afterEach(async () => {
  await box[Symbol.asyncDispose]()
  rmSync(disk, { recursive: true })
})

const gguf = tinyGguf({ contextTokens: 2048 })

function put(name: string, content: Uint8Array | string): string {
  const path = join(disk, name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, content)
  return path
}

/** Returns why an operation is refused. */
async function refusalOf(done: Promise<unknown>): Promise<string> {
  const error = await done.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return error instanceof OperationError && error.problem.code === 'import_refused'
    ? error.problem.reason
    : String(error)
}

const endOf = (model: string) =>
  new Promise<string>((resolve) => {
    const end = box.server.library.pulls.follow(({ model: changed, state }) => {
      if (changed !== model || state === 'running') return
      end()
      resolve(state)
    })
  })

test('a model on a disk is told with size, fit and a free id, and is imported as a download of the server', async () => {
  const path = put('maker/tiny-Q4_0.gguf', gguf)
  const found = await box.perform('models-find', { path })
  expect(found).toMatchObject({ kind: 'model', bytes: gguf.length, id: 'maker/tiny-Q4_0', fit: { verdict: 'fits' } })
  expect(box.services.stores.audit.list()).toEqual([])
  const ended = endOf('me/tiny')
  expect(await box.perform('models-import', { path, id: 'me/tiny' })).toEqual({ model: 'me/tiny', bytes: gguf.length })
  expect(box.server.library.pulls.states()).toMatchObject([{ model: 'me/tiny', state: 'running' }])
  expect(await ended).toBe('done')
  const { models } = await box.perform('models-list', {})
  expect(models.find(({ id }) => id === 'me/tiny')).toMatchObject({ status: 'ready', diskBytes: gguf.length })
  expect(box.services.stores.audit.list()).toMatchObject([
    { action: 'model.import', details: { model: 'me/tiny', path } },
  ])
  expect(await refusalOf(box.perform('models-import', { path, id: 'me/tiny' }))).toBe(
    'there is a model me/tiny already; choose another id',
  )
})

test('a model that the engine cannot load fails and leaves nothing', async () => {
  const broken = gguf.slice(0, gguf.length - 4_000)
  const path = put('maker/broken.gguf', broken)
  expect(await refusalOf(box.perform('models-find', { path }))).toContain('cut short')
  expect(await refusalOf(box.perform('models-import', { path, id: 'me/broken' }))).toContain('cut short')
  expect(box.server.library.pulls.states()).toEqual([])
})

test('what is no model is refused without telling what it holds, in words without flags', async () => {
  put('folder/secret-plans.txt', 'the plans')
  const reasons = await Promise.all(
    [put('notes.txt', 'my secret'), join(disk, 'folder'), join(disk, 'none'), 'tiny.gguf', '/dev/zero'].map((path) =>
      refusalOf(box.perform('models-find', { path })),
    ),
  )
  expect(reasons).toEqual([
    expect.stringContaining('is not a model that inferd recognises'),
    expect.stringContaining('is not a model that inferd recognises'),
    `${disk}/none does not exist`,
    expect.stringContaining('write the whole path'),
    '/dev/zero is not a file',
  ])
  for (const reason of reasons) expect(reason).not.toMatch(/secret|plans| --/)
  const packed = put('tiny.zip', `PK\x03\x04${' '.repeat(600)}`)
  expect(await refusalOf(box.perform('models-find', { path: packed }))).toStartWith(`${packed} is packed with zip`)
  const path = put('maker/tiny.gguf', gguf)
  expect(await refusalOf(box.perform('models-import', { path, id: '../x' }))).toContain('must be org/name')
})

test('a bundle counts once it is signed by a trusted key', async () => {
  put('inferd-bundle/manifest.json', '{}')
  expect(await refusalOf(box.perform('models-find', { path: disk }))).toMatch(/^there is no manifest.json.minisig/)
  using maker = bundleBox()
  await maker.addModel('me/carried')
  await maker.bundle(['me/carried'], 'medium')
  const path = join(maker.folder, 'medium')
  expect(await refusalOf(box.perform('models-find', { path }))).toContain('which is not trusted here')
  await using trusting = openOperatorBox({}, { 'bundle-keys': publicKeyText(maker.key.publicKey) })
  expect(await trusting.perform('models-find', { path })).toMatchObject({
    kind: 'bundle',
    models: [{ id: 'me/carried', bytes: expect.any(Number), isHere: false }],
  })
})
