import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Catalog } from '../../catalog/catalog.ts'
import { type FakeHub, sha256Of, startFakeHub } from '../../testing/fake-hub/fake-hub.ts'
import type { Fault } from '../../testing/fake-hub/fault.ts'
import { startRawServer } from '../../testing/fake-hub/raw-http.ts'
import { WebClient } from '../web/web-client.ts'
import { hubPaths } from './hub.ts'
import type { SourceContext } from './source.ts'
import { planSource } from './sources.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const model = bytesOf('the model')
const tokenizer = bytesOf('the tokenizer')

let hub: FakeHub
let dataDir = ''

beforeEach(async () => {
  hub = await startFakeHub()
  dataDir = mkdtempSync(join(tmpdir(), 'inferd-sources-'))
})
afterEach(async () => {
  await hub[Symbol.asyncDispose]()
  rmSync(dataDir, { recursive: true })
})

const repository = 'maker/Model-GGUF'

function context(change: Partial<SourceContext> = {}, files: object[] = []): SourceContext {
  const shipped = [
    {
      file: 'models/chat/model.toml',
      content: { id: 'maker/Model', type: 'chat', engine: 'fake', aliases: [{ id: 'gpt-4o' }], files },
    },
  ]
  const rules = { isInsecureAllowed: false, trustedOrigins: [], environment: {} }
  return {
    catalog: new Catalog({ shipped, shippedAtMs: 0, dataDir, shippedFile: () => undefined }),
    hub: { client: new WebClient(rules), endpoint: hub.origin },
    signal: AbortSignal.timeout(10_000),
    id: undefined,
    sha256: undefined,
    withProjector: false,
    gpuFilesWish: () => 'no' as const,
    isForced: false,
    ...change,
  }
}

async function failure(text: string, in_: SourceContext): Promise<string> {
  return planSource(text, in_).then(
    () => 'planned',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
}

test('a model of the catalog is planned with what the hub says of its files now', async () => {
  const { commit } = hub.put(repository, 'q4/model.gguf', model)
  hub.put(repository, 'tokenizer.json', tokenizer, { isLinked: false })
  const files = [
    { role: 'model', url: `hf://${repository}/q4/model.gguf`, sha256: sha256Of(model) },
    { role: 'tokenizer', url: `hf://${repository}/tokenizer.json` },
    { role: 'config', url: `${hub.storeOrigin}/plain/${repository}/tokenizer.json?x=1`, name: 'config/c.json' },
  ]
  const { plan, notes, isNew } = await planSource('gpt-4o', context({}, files))
  expect({ notes, isNew }).toEqual({ notes: ['gpt-4o is an alias of maker/Model'], isNew: false })
  expect(plan.source).toBe('maker/Model')
  expect(plan.files).toMatchObject([
    {
      role: 'model',
      name: 'model.gguf',
      address: `${hub.origin}/${repository}/resolve/${commit}/q4/model.gguf`,
      source: `hf:${repository}/q4/model.gguf`,
      bytes: model.length,
      sha256: sha256Of(model),
      commit,
    },
    {
      role: 'tokenizer',
      bytes: tokenizer.length,
      sha256: undefined,
      gitBlobSha1: expect.stringMatching(/^[0-9a-f]{40}$/),
    },
    { name: 'config/c.json', source: `${hub.storeOrigin}/plain/${repository}/tokenizer.json`, bytes: tokenizer.length },
  ])
})

test.each([
  [
    { sha256: 'a'.repeat(64) },
    /model.gguf: the manifest expects the sha256 a{64}, but 127.0.0.1:\d+, at [0-9a-f]{40}, says/,
  ],
  [{ bytes: 5 }, /model.gguf: the manifest expects bytes: 5, but 127.0.0.1:\d+, .*, says 9; /],
  [{ commit: 'b'.repeat(40) }, /is not there: the repository has no such revision/],
])('a hub that says something else than the manifest with %j is not believed', async (change, problem) => {
  hub.put(repository, 'model.gguf', model)
  const files = [{ role: 'model', url: `hf://${repository}/model.gguf`, ...change }]
  expect(await failure('maker/Model', context({}, files))).toMatch(problem)
})

test('where the pinned commit is gone, a file with a known sum is taken from the main branch', async () => {
  const { commit } = hub.put(repository, 'model.gguf', model)
  const pin = { commit: 'b'.repeat(40), sha256: sha256Of(model) }
  const files = [{ role: 'model', url: `hf://${repository}/model.gguf`, ...pin }]
  const { plan } = await planSource('maker/Model', context({}, files))
  expect(plan.files[0]?.commit).toBe(commit)
})

test('an unknown model is answered with models that look alike', async () => {
  expect(await failure('maker/Modle', context())).toContain('did you mean maker/Model?')
  expect(await failure('org/model-q4', context())).toContain('did you mean maker/Model?')
  expect(await failure('org/model', context())).toContain('hf:org/model')
  expect(await failure('zzz', context())).toContain('inferd list')
  expect(await failure('ftp:x/y', context())).toContain('hf:org/repository:Q4_K_M')
})

const id = 'me/mine'

test('a quantisation is found by its tag, and a projector is offered', async () => {
  for (const path of [
    'M-UD-Q4_K_M.gguf',
    'M-Q4_K_M.gguf',
    'M-Q8_0.gguf',
    'mmproj-F32.gguf',
    'mmproj-F16.gguf',
    'README.md',
  ])
    hub.put(repository, path, bytesOf(path))
  hub.pageSize = 2
  const { plan, notes, isNew } = await planSource(`hf:${repository}:q4_k_m`, context({ id }))
  expect(isNew).toBe(true)
  expect(notes).toEqual([expect.stringContaining('mmproj-F16.gguf: --mmproj pulls it too')])
  const { commit } = hub.repositories.get(repository) ?? {}
  const sum = sha256Of(bytesOf('M-Q4_K_M.gguf'))
  expect(plan.manifest).toMatchObject({
    id,
    type: 'chat',
    engine: 'llama',
    files: [{ role: 'model', url: `hf://${repository}/M-Q4_K_M.gguf`, sizeBytes: 13, sha256: sum, commit }],
  })
  expect(plan.manifest.pricing).toBeUndefined()
  const images = await planSource(`hf:${repository}:Q4_K_M`, context({ id, withProjector: true }))
  expect(images.plan.manifest.type).toBe('vision')
  expect(images.plan.files.map(({ role, name }) => [role, name])).toEqual([
    ['model', 'M-Q4_K_M.gguf'],
    ['mmproj', 'mmproj-F16.gguf'],
  ])
})

test('of a split model all parts are planned', async () => {
  const parts = [1, 2, 3].map((part) => `Q4_K_M/M-Q4_K_M-0000${part}-of-00003.gguf`)
  for (const path of parts) hub.put(repository, path, bytesOf(path))
  const byTag = await planSource(`hf:${repository}:Q4_K_M`, context({ id }))
  const byPart = await planSource(`hf:${repository}@main/${parts[1]}`, context({ id }))
  for (const { plan } of [byTag, byPart])
    expect(plan.files.map(({ role, name }) => `${role} ${name}`)).toEqual(parts.map((path) => `model ${path.slice(7)}`))
})

test.each([
  [`hf:${repository}:Q5_K`, 'no file of the repository is named Q5_K: it has A-Q4_0.gguf, B-Q4_0.gguf'],
  [`hf:${repository}:Q4_0`, 'Q4_0 is part of several names: A-Q4_0.gguf, B-Q4_0.gguf; name one of them by its path'],
  [`hf:${repository}/README.md`, 'README.md is no GGUF file'],
  [`hf:${repository}/x-00001-of-00000.gguf`, 'is named as one of 0 parts; a split model has 1 to 1000'],
  [`hf:${repository}/x-00001-of-01001.gguf`, 'is named as one of 1001 parts'],
  ['HTTPS://joe:secret@host/x.gguf', 'https://host/x.gguf was given with a name or a password'],
  ['me/odd', "1 of your manifests cannot be used, 'inferd list' says why"],
  [`hf:${repository}/none.gguf`, 'the repository has no such file'],
  [`hf:${repository}@other/A-Q4_0.gguf`, 'the repository has no such revision'],
  ['hf:other/repo/A-Q4_0.gguf', 'is missing, private or gated'],
  [`hf:${repository}/../x.gguf`, 'is no file of a hub'],
  [`hf:${repository}/a/..%2f..%2fx.gguf`, 'is no file of a hub'],
  ['hf:nothing', 'is no file of a hub'],
])('%s is refused', async (text, problem) => {
  hub.put(repository, 'A-Q4_0.gguf', model)
  hub.put(repository, 'B-Q4_0.gguf', model)
  hub.put(repository, 'README.md', model)
  mkdirSync(join(dataDir, 'models.d'))
  writeFileSync(join(dataDir, 'models.d/odd.toml'), 'id = "me/odd"')
  expect(await failure(text, context({ id }))).toContain(problem)
})

test('names that a hub makes up cannot lead out of the model folder', async () => {
  for (const path of ['../../evil-Q4_0.gguf', '/etc/evil-Q4_0.gguf', 'a\\..\\evil-Q4_0.gguf', '.evil-Q4_0.gguf']) {
    await hub[Symbol.asyncDispose]()
    hub = await startFakeHub()
    hub.put(repository, path, model)
    expect(await failure(`hf:${repository}:Q4_0`, context({ id }))).toContain('it has no GGUF models')
  }
})

test('a list without an end is given up', async () => {
  let pages = 0
  await using endless = await startRawServer(async ({ url }) => {
    pages++
    return { status: 200, headers: { link: `<${url.href}>; rel="next"` }, body: bytesOf('[]') }
  })
  const hubOf = { ...context().hub, endpoint: endless.origin }
  expect(await failure(`hf:${repository}:Q4_0`, context({ id, hub: hubOf }))).toContain('has too many files to list')
  expect(pages).toBe(100)
})

test('a list of endless names is given up before it fills the memory', async () => {
  const body = bytesOf(JSON.stringify(Array(40_000).fill({ type: 'file', path: 'm-Q4_0.gguf', size: 1 })))
  let pages = 0
  await using endless = await startRawServer(async ({ url }) => {
    pages++
    return { status: 200, headers: { link: `<${url.href}>; rel="next"` }, body }
  })
  const hubOf = { ...context().hub, endpoint: endless.origin }
  expect(await failure(`hf:${repository}:Q4_0`, context({ id, hub: hubOf }))).toContain('has too many files to list')
  expect(pages).toBe(3)
})

test('of a million names some are shown', async () => {
  for (let number = 0; number < 50; number++) hub.put(repository, `m${number}-Q4_0.gguf`, model)
  expect(await failure(`hf:${repository}:Q4_0`, context({ id }))).toMatch(/m39-Q4_0.gguf and 10 more; name one/)
})

test('a list goes on below the address where it began', async () => {
  const asked: string[] = []
  const links = ['//elsewhere.invalid/list', 'https://huggingface.co/api/page2', '/hub/api/page3']
  await using mirror = await startRawServer(async ({ url }) => {
    asked.push(url.pathname)
    const link = links.shift()
    const next =
      link === undefined ? undefined : { link: `<${link.replace(/^\/\//, `${mirror.origin}//`)}>; rel="next"` }
    return { status: 200, headers: next ?? {}, body: bytesOf('[]') }
  })
  const { client } = context().hub
  await hubPaths(
    { client, endpoint: `${mirror.origin}/hub` },
    { repository, revision: 'main' },
    AbortSignal.timeout(10_000),
  )
  expect(asked).toEqual([
    `/hub/api/models/${repository}/tree/main`,
    '/hub//elsewhere.invalid/list',
    '/hub/api/page2',
    '/hub/api/page3',
  ])
})

test('any address of a GGUF file will do, with the sum that the operator knows', async () => {
  hub.put(repository, 'm.gguf', model)
  const address = `${hub.storeOrigin}/plain/${repository}/m.gguf`
  const sha256 = 'c'.repeat(64)
  const { plan } = await planSource(`${address}?signature=secret`, context({ id, sha256 }))
  expect(plan.source).toBe(address)
  expect(plan.files).toMatchObject([{ address: `${address}?signature=secret`, source: address, bytes: 9, sha256 }])
  expect(JSON.stringify(plan.manifest)).not.toContain('secret')
  expect(await failure(`${hub.storeOrigin}/plain/m.tar.bz2`, context({ id }))).toContain('inferd import')
  expect(await failure('http://93.184.216.34/m.gguf', context({ id }))).toContain('--insecure')
})

test('a manifest that the operator wrote is not doubled', async () => {
  hub.put(repository, 'm.gguf', model)
  mkdirSync(join(dataDir, 'models.d'))
  writeFileSync(join(dataDir, 'models.d/mine.toml'), `id = "${id}"\ntype = "chat"\nengine = "fake"\n`)
  expect(await failure(`hf:${repository}/m.gguf`, context({ id, isForced: true }))).toContain(
    'mine.toml describes me/mine',
  )
})

test('a new model needs an id that is free', async () => {
  hub.put(repository, 'm.gguf', model)
  const source = `hf:${repository}/m.gguf`
  expect(await failure(source, context())).toBe(
    'this is no model of the catalog: give it an id of your own, such as org/name',
  )
  expect(await failure(source, context({ id: 'gpt-4o' }))).toContain('is an alias of maker/Model')
  expect(await failure(source, context({ id: 'maker/Model' }))).toBe(
    'there is a model maker/Model already; choose another id',
  )
  const { plan } = await planSource(source, context({ id: 'maker/Model', isForced: true }))
  expect(plan.manifest.aliases).toEqual([{ id: 'gpt-4o' }])
  expect(await failure('maker/Model', context({ id }))).toContain('leave out the id')
})

test.each<[name: string, fault: Fault]>([
  ['is reset', { kind: 'cut', afterBytes: 0 }],
  ['breaks off', { kind: 'cut', afterBytes: 150 }],
  ['gives 504', { kind: 'status', status: 504 }],
])('each page of a list whose connection %s once is asked for again', async (_, fault) => {
  for (const name of ['a.gguf', 'b.gguf', 'c.gguf']) hub.put(repository, name, model)
  hub.pageSize = 1
  const seen = new Set<string>()
  hub.fault = ({ url }) => (seen.size === seen.add(url.search).size ? undefined : fault)
  const { hub: asked, signal } = context()
  expect(await hubPaths(asked, { repository, revision: undefined }, signal)).toEqual(['a.gguf', 'b.gguf', 'c.gguf'])
})

test('a list that ends with its connection, in the middle, is asked for again', async () => {
  const whole = JSON.stringify([{ type: 'file', path: 'a.gguf' }])
  let answers = 0
  await using server = await startRawServer(async () => {
    const body = bytesOf(++answers === 1 ? whole.slice(0, 9) : whole)
    return { status: 200, headers: { 'content-type': 'application/json' }, body }
  })
  const { client } = context().hub
  const paths = hubPaths(
    { client, endpoint: server.origin },
    { repository, revision: undefined },
    AbortSignal.timeout(10_000),
  )
  expect(await paths).toEqual(['a.gguf'])
})

test('another box that is busy at first is asked again for its models', async () => {
  let answers = 0
  await using box = await startRawServer(async () => {
    const isBusy = ++answers === 1
    const body = bytesOf(isBusy ? '' : JSON.stringify({ format: 1, models: [] }))
    return { status: isBusy ? 503 : 200, headers: { 'content-type': 'application/json' }, body }
  })
  const source = `inferd://${new URL(box.origin).host}/org/own`
  const { client } = context().hub
  const found = await failure(source, context({ hub: { client, endpoint: hub.origin } }))
  expect(found).toContain('it has none that it can share')
  expect(answers).toBe(2)
})
