import { expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import type { CatalogEntry } from '../../catalog/catalog.ts'
import type { FilesState } from '../../core/model-state.ts'
import { testManifest } from '../../testing/test-manifest.ts'
import { startTestServer } from '../../testing/test-server.ts'
import type { HttpServices } from '../services.ts'
import { listedModels } from './models.ts'

const models = {
  'org/absent': { manifest: { aliases: [{ id: 'absent' }] }, status: { kind: 'available' } },
  'org/broken': { status: { kind: 'broken', reason: 'model.gguf is cut short' } },
  'org/here': {},
} as const

async function listedIds(address: string): Promise<string[]> {
  const list = (await (await fetch(address)).json()) as { data: { id: string }[] }
  return list.data.map(({ id }) => id)
}

test('the list holds the whole catalog, what can be used first', async () => {
  await using server = startTestServer({ models })
  const all = ['test/fake', 'fake', 'org/here', 'org/absent', 'absent', 'org/broken']
  expect(await listedIds(`${server.url}/v1/models`)).toEqual(all)
  expect(await listedIds(`${server.url}/openai/v1/models`)).toEqual(all)
})

test('the list can be limited to what is on this disk', async () => {
  await using server = startTestServer({ models, config: { listsOnlyInstalled: true } })
  const installed = ['test/fake', 'fake', 'org/here', 'org/broken']
  expect(await listedIds(`${server.url}/v1/models`)).toEqual(installed)
  expect(await listedIds(`${server.url}/openai/v1/models`)).toEqual(installed)
})

test('the client of the messages dialect pages through it, and finds one', async () => {
  await using server = startTestServer({ models })
  const client = new Anthropic({ baseURL: server.url, apiKey: server.keys.valid, maxRetries: 0 })
  const seen: string[] = []
  for await (const model of client.models.list({ limit: 2 })) {
    expect(model).toMatchObject({ type: 'model', display_name: model.id, model_type: 'chat' })
    expect(Date.parse(model.created_at)).toBePositive()
    seen.push(model.id)
  }
  expect(seen).toEqual(await listedIds(`${server.url}/v1/models`))
  const last = await client.models.list({ limit: 2, before_id: 'org/broken' })
  expect(last.data.map(({ id }) => id)).toEqual(['org/absent', 'absent'])
  expect(await client.models.retrieve('org/here')).toMatchObject({ type: 'model', id: 'org/here' })
})

test('what is wrong has the shape that this client reads', async () => {
  await using server = startTestServer({ models })
  const client = new Anthropic({ baseURL: server.url, apiKey: server.keys.valid, maxRetries: 0 })
  const failed = await client.models.list({ after_id: 'no/such' }).catch((thrown: unknown) => thrown)
  const error = { type: 'error', error: { type: 'invalid_request_error', param: 'after_id' } }
  expect(failed).toMatchObject({ status: 400, error })
  const missing = await client.models.retrieve('no/such').catch((thrown: unknown) => thrown)
  expect(missing).toMatchObject({ status: 404, error: { error: { type: 'not_found_error' } } })
  const plain = await fetch(`${server.url}/v1/models?limit=0`)
  expect(await plain.json()).toMatchObject({ object: 'list', data: [{ type: 'chat' }, {}, {}, {}, {}, {}] })
})

function entry(id: string, status: FilesState): CatalogEntry {
  const manifest = testManifest({ id })
  return { manifest, status, filePaths: {}, addedAtMs: 0 }
}

function list(entries: CatalogEntry[], failedLoads: Readonly<Record<string, string>>) {
  const services = {
    catalog: { entries: () => entries },
    pool: {
      contextLimit: () => Number.POSITIVE_INFINITY,
      status: () => Object.entries(failedLoads).map(([modelId, failedLoad]) => ({ modelId, failedLoad })),
    },
  } as unknown as HttpServices // the rest is not asked for
  return listedModels(services).map(({ manifest, status }) => [manifest.id, status.kind])
}

test.each([
  ['starting', {}, 'loading'],
  ['estimating', {}, 'loading'],
  ['ready', {}, 'ready'],
  ['stopped', { failedLoad: 'killed', failedLoadCode: 'out-of-memory' }, 'ready'],
])('a model whose engine is %s with %j is shown as %s', (state, failure, shown) => {
  const services = {
    catalog: { entries: () => [entry('a/b', { kind: 'ready' })] },
    pool: { contextLimit: () => Number.POSITIVE_INFINITY, status: () => [{ modelId: 'a/b', state, ...failure }] },
  } as unknown as HttpServices // the rest is not asked for
  expect(listedModels(services).map(({ status }) => status.kind)).toEqual([shown as 'ready'])
})

test('a model whose file looked right and did not load is broken, and comes after those that are ready', () => {
  const entries = [
    entry('a/bad', { kind: 'ready' }),
    entry('b/good', { kind: 'ready' }),
    entry('c/absent', { kind: 'available' }),
  ]
  expect(list(entries, {})).toEqual([
    ['a/bad', 'ready'],
    ['b/good', 'ready'],
    ['c/absent', 'available'],
  ])
  expect(list(entries, { 'a/bad': '/secret/path is damaged', 'c/absent': 'x' })).toEqual([
    ['b/good', 'ready'],
    ['a/bad', 'broken'],
    ['c/absent', 'available'],
  ])
})
