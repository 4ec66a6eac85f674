import { afterEach, beforeEach, expect, test } from 'bun:test'
import { HubSearch } from '../library/hub-search.ts'
import { type FakeHub, startFakeHub } from '../testing/fake-hub/fake-hub.ts'
import { type OperatorBox, openOperatorBox } from '../testing/operator-box.ts'
import { problemOf } from '../testing/refusal.ts'

let hub: FakeHub
let box: OperatorBox

beforeEach(async () => {
  hub = await startFakeHub()
  box = openOperatorBox({ HF_ENDPOINT: hub.origin, HF_HOME: '/nowhere' })
})
afterEach(async () => {
  await box[Symbol.asyncDispose]()
  await hub[Symbol.asyncDispose]()
})

const repository = 'maker/Tiny-GGUF'
const bytes = (count: number) => new Uint8Array(count)
const hostOf = ({ origin }: FakeHub) => new URL(origin).host

test('the host is told without asking it, and a search asks it once', async () => {
  expect(await box.perform('hub-show', {})).toEqual({ host: hostOf(hub) })
  expect(hub.requests).toEqual([])
  Object.assign(hub.put(repository, 'tiny-Q4_0.gguf', bytes(9)), { license: 'mit', task: 'text-generation' })
  Object.assign(hub.put('maker/Tiny-2-GGUF', 'm.gguf', bytes(9)), { downloads: 7, token: 'secret' })
  hub.put('maker/Tiny', 'model.safetensors', bytes(9))
  expect(await box.perform('hub-search', { words: 'tiny gguf' })).toEqual({
    host: hostOf(hub),
    repositories: [
      expect.objectContaining({ id: 'maker/Tiny-2-GGUF', downloads: 7, isGated: true, type: undefined }),
      {
        ...{ id: repository, downloads: 0, likes: 1, changedMs: Date.UTC(2025, 0, 2, 3, 4, 5) },
        ...{ type: 'chat', license: 'mit', isGated: false, contextLength: undefined },
      },
    ],
  })
  expect(hub.requests).toHaveLength(1)
  expect((await box.perform('hub-search', { words: 'tiny', limit: 1 })).repositories).toHaveLength(1)
})

test('a repository is listed by quantizations, with sizes, fit, free ids and one recommendation', async () => {
  for (const [name, size] of [
    ['tiny-Q8_0.gguf', 80],
    ['tiny-Q4_K_M-00001-of-00002.gguf', 20],
    ['tiny-Q4_K_M-00002-of-00002.gguf', 20],
    ['tiny-F16.gguf', 160],
    ['mmproj-F32.gguf', 9],
    ['mmproj-F16.gguf', 5],
  ] as const)
    hub.put(repository, name, bytes(size))
  const shown = await box.perform('hub-files', { repository })
  expect(shown).toMatchObject({
    page: `${hub.origin}/${repository}`,
    projector: { path: 'mmproj-F16.gguf', bytes: 5 },
    freeDiskBytes: expect.any(Number),
    leftOut: 0,
  })
  expect(shown.models).toMatchObject([
    { name: 'Q4_K_M', bytes: 40, parts: 2, source: `hf:${repository}/tiny-Q4_K_M-00001-of-00002.gguf` },
    { name: 'Q8_0', bytes: 80, parts: 1, id: 'maker/Tiny', isRecommended: true },
    { name: 'F16', bytes: 160, isRecommended: false },
  ])
  expect(shown.models.map(({ fit }) => fit?.verdict)).toEqual(['fits', 'fits', 'fits'])
})

test('the source of a split model with a projector is planned whole', async () => {
  for (const name of ['t-Q4_0-00001-of-00002.gguf', 't-Q4_0-00002-of-00002.gguf', 'mmproj-F16.gguf'])
    hub.put(repository, name, bytes(10))
  const { models } = await box.perform('hub-files', { repository })
  const { id = '', source = '' } = models[0] ?? {}
  // The files hold no model, so the header of the first part is refused, after all files were found.
  await problemOf(box.perform('models-pull-preview', { id, source, withProjector: true }))
  const asked = hub.requests.filter(({ at, method }) => at === 'hub' && method === 'HEAD')
  expect(asked.map(({ url }) => url.pathname.split('/').at(-1)).sort()).toEqual([
    'mmproj-F16.gguf',
    't-Q4_0-00001-of-00002.gguf',
    't-Q4_0-00002-of-00002.gguf',
  ])
})

test('an id that is taken gets the quantization', async () => {
  const [taken] = box.catalog.entries()
  const id = taken?.manifest.id ?? ''
  hub.put(`${id}-GGUF`, 'm-Q4_0.gguf', bytes(9))
  const { models } = await box.perform('hub-files', { repository: `${id}-GGUF` })
  expect(models.map((model) => model.id)).toEqual([`${id}-Q4_0`])
})

test('each failure of the hub is told plainly', async () => {
  const files = () => problemOf(box.perform('hub-files', { repository }))
  const search = () => problemOf(box.perform('hub-search', { words: 'tiny' }))
  expect(await files()).toMatchObject({
    why: 'refused',
    reason: `${repository} is missing, private or gated: check the name, and set HF_TOKEN to a token that may read it (401)`,
  })
  Object.assign(hub.put(repository, 'm.gguf', bytes(9)), { token: 'secret' })
  expect(await files()).toMatchObject({ why: 'refused', reason: expect.stringContaining(`${repository} is gated`) })
  hub.fault = () => ({ kind: 'status', status: 429, headers: { 'retry-after': '3600' } })
  expect(await search()).toMatchObject({
    why: 'refused',
    reason: expect.stringMatching(/^the answer of 127\.0\.0\.1:\d+ .*too many requests/),
  })
  hub.fault = () => ({ kind: 'html' })
  expect(await search()).toMatchObject({ reason: `${hostOf(hub)} does not answer as a hub does` })
  expect(await problemOf(box.perform('hub-files', { repository: '../..' }))).toMatchObject({ code: 'invalid_input' })
  const { host } = new URL(hub.origin)
  await hub[Symbol.asyncDispose]()
  expect(await search()).toMatchObject({
    code: 'hub_failed',
    why: 'unreachable',
    reason: expect.stringContaining(`${host} cannot be reached`),
  })
})

test('a hub that accepts the question and says nothing is given up', async () => {
  hub.fault = () => ({ kind: 'stall', afterBytes: 0 })
  const { catalog, server } = box
  const environment = { HF_ENDPOINT: hub.origin, HF_HOME: '/nowhere' }
  const search = new HubSearch({ config: server.config, catalog, environment, rooms: async () => [], answerMs: 50 })
  expect(await search.search('tiny', 1)).toEqual({
    kind: 'failure',
    why: 'unreachable',
    reason: `${hostOf(hub)} did not answer within 0.05 s`,
  })
})
