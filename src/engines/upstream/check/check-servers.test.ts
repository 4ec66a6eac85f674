/** Results of a check of servers with and without faults, over real sockets. */
import { expect, test } from 'bun:test'
import type { ModelManifest } from '../../../core/model.ts'
import type { UpstreamFlavor } from '../../../core/upstream.ts'
import { upstreamFlavors } from '../../../core/upstream.ts'
import { testManifest } from '../../../testing/test-manifest.ts'
import { ableAnswers, type Fault } from '../../../testing/upstream/able-answers.ts'
import {
  type FakeUpstreamOptions,
  startFakeUpstream,
  type UpstreamAnswer,
} from '../../../testing/upstream/fake-upstream.ts'
import type { Quirks } from '../../../testing/upstream/quirks.ts'
import { checkServers, countRequests, lacksOf } from './check-servers.ts'

interface Case {
  readonly flavor?: UpstreamFlavor
  readonly faults?: readonly Fault[]
  readonly quirks?: Partial<Quirks>
  readonly manifest?: Partial<ModelManifest>
  readonly server?: Partial<FakeUpstreamOptions>
  readonly key?: string
}

async function check({ flavor = 'vllm', faults = [], quirks = {}, manifest: parts = {}, server, key }: Case) {
  await using upstream = await startFakeUpstream({ flavor, contextTokens: 8192, ...server })
  upstream.always = ableAnswers(flavor, faults, quirks)
  const servers = { flavor, model: 'served', endpoints: [upstream.url], maxConcurrent: 64 }
  const capabilities = { tools: true, reasoning: 'toggle' }
  const manifest = {
    ...testManifest(),
    type: 'vision',
    engine: 'upstream',
    contextLength: 8192,
    capabilities,
    ...parts,
    upstream: servers,
  } as const
  const { signal } = new AbortController()
  const checked = await checkServers({ manifest, servers, key, limitMs: 5_000, signal })
  const results = checked[0]?.results ?? []
  const words: Record<string, string> = Object.fromEntries(results.map(({ probe, word }) => [probe, word]))
  const failed: Record<string, string> = Object.fromEntries(Object.entries(words).filter(([, word]) => word !== 'yes'))
  return {
    ...{ failed, words, results, lacks: lacksOf(checked), problems: upstream.problems },
    requests: upstream.records.length,
    expectedRequests: countRequests(manifest, servers),
  }
}

/** Verdicts on what servers of each flavor do not report or have. */
const untold: Readonly<Record<UpstreamFlavor, Readonly<Record<string, string>>>> = {
  vllm: {},
  sglang: {},
  trtllm: { context: 'not tried', cancel: 'not tried' },
  llamacpp: {},
  openai: { context: 'not tried', cancel: 'not tried', 'usage in the stream': 'partly', thinking: 'not tried' },
  inferd: { context: 'not tried', cancel: 'not tried' },
}

test.each(upstreamFlavors.map((flavor) => [flavor]))(
  'a server of flavor %s that can all lacks nothing',
  async (flavor) => {
    const { failed, requests, expectedRequests, problems } = await check({ flavor })
    expect(problems).toEqual([])
    expect(failed).toEqual(untold[flavor])
    expect(requests).toBe(expectedRequests)
  },
)

test.each<[Fault, Readonly<Record<string, string>>, readonly string[]]>([
  ['refuses tools', { tools: 'no', 'a named tool': 'no' }, ['tools', 'named-tools']],
  ['calls as text', { tools: 'no' }, ['tools']],
  ['never calls', { tools: 'partly', 'a named tool': 'no' }, ['named-tools']],
  ['ignores schemas', { 'JSON schema': 'no' }, ['schemas']],
  ['refuses schemas', { 'JSON schema': 'no' }, ['schemas']],
  ['refuses pictures', { pictures: 'no' }, ['pictures']],
  ['fails on pictures', { pictures: 'no' }, ['pictures']],
  ['no log probabilities', { 'log probabilities': 'no' }, ['logprobs']],
  ['no raw prompts', { 'raw prompts': 'no' }, ['prompts']],
  ['thinking as text', { thinking: 'partly' }, ['thinking-field']],
  ['never thinks', { thinking: 'no' }, ['thinking']],
  ['always thinks', { 'thinking off': 'no' }, ['thinking-switch']],
])('of a server that %s', async (fault, expected, lacking) => {
  const { failed, lacks } = await check({ faults: [fault] })
  expect(failed).toEqual(expected)
  expect(lacks as readonly string[]).toEqual(lacking)
})

test('a server that fails, or has no time, is not taken to lack anything', async () => {
  for (const [fault, chat] of [
    ['fails', 'no'],
    ['is busy', 'not tried'],
  ] as const) {
    const { words, lacks, requests } = await check({ faults: [fault] })
    expect(words).toMatchObject({ reachable: 'yes', 'key accepted': 'not tried', chat, tools: 'not tried' })
    expect(lacks).toEqual([])
    expect(requests).toBe(1)
  }
})

test('usage that comes with the end alone, or never', async () => {
  expect((await check({ quirks: { usage: 'last' } })).failed).toEqual({ 'usage in the stream': 'partly' })
  const { failed, results } = await check({ quirks: { usage: 'none' } })
  expect(failed).toEqual({ 'usage in the stream': 'no' })
  expect(results.find(({ word }) => word === 'no')).toMatchObject({ isPromised: false })
})

test('the key, the model and the context', async () => {
  const wrongKey = await check({ server: { key: 'right-key' }, key: 'wrong-key' })
  expect(wrongKey.words).toMatchObject({ reachable: 'yes', 'key accepted': 'no', chat: 'not tried' })
  expect(wrongKey.requests).toBe(0)
  expect((await check({ server: { key: 'right-key' }, key: 'right-key' })).failed).toEqual({})
  const other = await check({ server: { model: 'another' } })
  expect(other.results.find(({ probe }) => probe === 'model listed')).toMatchObject({
    ...{ word: 'no', note: 'it has another', isPromised: true },
    advice: "write one of its names as 'model' of the manifest, or start it with --served-model-name NAME",
  })
  const small = await check({ server: { contextTokens: 100 } })
  expect(small.failed).toEqual({ context: 'no' })
  expect(small.lacks).toEqual([])
})

test('a server that is no API, quotes the key, or breaks off is told in words, without the key', async () => {
  const key = 'sk-secret-of-the-server'
  const say = async (answer: UpstreamAnswer) => {
    await using upstream = await startFakeUpstream({ flavor: 'vllm' })
    upstream.always = answer
    const servers = { flavor: 'vllm', model: 'served', endpoints: [upstream.url], maxConcurrent: 64 } as const
    const manifest = { ...testManifest(), type: 'chat', engine: 'upstream', upstream: servers } as const
    const { signal } = new AbortController()
    const checked = await checkServers({ manifest, servers, key, limitMs: 5_000, signal })
    expect(JSON.stringify(checked)).not.toContain(key)
    return checked[0]?.results.find(({ probe }) => probe === 'chat')?.note
  }
  expect(await say((exchange) => exchange.answer(400, { error: { message: `no: ${key}` } }))).toContain('no: [key]')
  const page = await say((exchange) => exchange.answer(200, '<html>', { 'content-type': 'text/html' }))
  expect(page).toStartWith('the server does not answer with events')
  const cut = await say(async (exchange) => {
    await exchange.begin()
    await exchange.event({ choices: [{ index: 0, delta: { content: 'a' } }] })
    exchange.cut()
  })
  expect(cut).toContain('before the answer ended')
})

test('what the manifest does not promise is not asked for', async () => {
  const capabilities = { tools: false, reasoning: 'none' }
  const { words, requests } = await check({ manifest: { type: 'chat', capabilities } })
  expect(words).toMatchObject({ tools: 'not tried', thinking: 'not tried', pictures: 'not tried' })
  expect(requests).toBe(5)
})

test('a server that says nothing is left after its time, and a check that is stopped ends at once', async () => {
  await using upstream = await startFakeUpstream({ flavor: 'vllm' })
  upstream.always = () => new Promise(() => undefined)
  const servers = { flavor: 'vllm', model: 'served', endpoints: [upstream.url], maxConcurrent: 64 } as const
  const manifest = { ...testManifest(), type: 'chat', engine: 'upstream', upstream: servers } as const
  const stop = new AbortController()
  const options = { manifest, servers, key: undefined, signal: stop.signal }
  const [checked] = await checkServers({ ...options, limitMs: 200 })
  expect(checked?.results.find(({ probe }) => probe === 'chat')?.word).toBe('not tried')
  const stopped = checkServers({ ...options, limitMs: 60_000 })
  await upstream.record(1)
  stop.abort(new Error('stopped'))
  await expect(stopped).rejects.toThrow('stopped')
})
