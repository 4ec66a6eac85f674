/** The request log observes: a logger that throws on every line changes neither statuses nor charges. */
import { expect, test } from 'bun:test'
import { startTestServer, type TestServerOptions } from '../testing/test-server.ts'
import { textModels } from '../testing/text-models.ts'

const requests = 1_000
const sideBySide = 16
const pricing = { inputNanoUsd: 1_000_000, outputNanoUsd: 1_000_000, unit: '1M_tokens' } as const

const chat = (content: unknown, fields: object = {}) => ({
  model: 'test/paid',
  messages: [{ role: 'user', content: typeof content === 'string' ? content : JSON.stringify({ script: content }) }],
  ...fields,
})

interface Asked {
  readonly path: string
  readonly body: object
  readonly key?: 'poor' | 'unknown'
  /** True if the client disconnects after the first piece of the answer. */
  readonly leaves?: true
}

const kinds: readonly Asked[] = [
  { path: '/v1/chat/completions', body: chat('one two three') },
  { path: '/v1/chat/completions', body: chat('one two three', { stream: true }) },
  { path: '/v1/messages', body: chat('one two', { max_tokens: 5 }) },
  { path: '/v1/messages/count_tokens', body: chat('one two') },
  { path: '/v1/embeddings', body: { model: 'embedder', input: ['one', 'two'] } },
  { path: '/v1/rerank', body: { model: 'reranker', query: 'one', documents: ['one', 'two'] } },
  { path: '/v1/chat/completions', body: chat('x', { temperature: 'warm' }) },
  { path: '/v1/chat/completions', body: chat('x'), key: 'poor' },
  { path: '/v1/chat/completions', body: chat('x'), key: 'unknown' },
  { path: '/v1/nothing', body: {} },
  {
    path: '/v1/chat/completions',
    body: chat([{ text: 'a' }, { error: { kind: 'engine', code: 'engine_failed', message: 'lost' } }], {
      stream: true,
    }),
  },
  {
    path: '/v1/chat/completions',
    body: chat([{ text: 'a' }, { waitForCancel: true }], { stream: true }),
    leaves: true,
  },
]

/** Returns what clients receive for all requests, and the state of the money afterwards. */
async function outcome(log: TestServerOptions['log']) {
  const models = { 'test/paid': { manifest: { pricing } }, ...textModels }
  await using server = startTestServer({ models, ...(log && { log }) })
  const rich = server.payer(1_000_000)
  const poor = server.payer(1)
  const keys = { poor: poor.key, unknown: server.keys.unknown }
  const ask = async ({ path, body, key, leaves }: Asked) => {
    const aborting = new AbortController()
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key === undefined ? rich.key : keys[key]}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
      signal: aborting.signal,
    })
    if (leaves === true) {
      await response.body?.getReader().read()
      aborting.abort()
    } else await response.text()
    return { status: response.status, requestId: response.headers.get('x-request-id') ?? '' }
  }
  const answers: Awaited<ReturnType<typeof ask>>[] = []
  let next = 0
  const client = async () => {
    for (let at = next++; at < requests; at = next++) {
      const asked = kinds[at % kinds.length]
      if (asked !== undefined) answers[at] = await ask(asked)
    }
  }
  await Promise.all(Array.from({ length: sideBySide }, client))
  await server.drained()
  const seen = answers.map(({ status, requestId }) => {
    const receipt = server.stores.usage.find(requestId)
    return [status, receipt?.finish, receipt?.used, receipt?.chargedNanoUsd]
  })
  return { seen, rich: rich.money(), poor: poor.money(), lines: server.lines.length }
}

test('a logger that throws on every line changes no status and no charge, and requests end', async () => {
  const warnings: string[] = []
  const warn = ({ message }: Error) => warnings.push(message)
  process.on('warning', warn)
  const quiet = await outcome(undefined)
  expect(warnings).toEqual([])
  const loud = await outcome(() => {
    throw new Error('the log is full')
  })
  await new Promise(setImmediate)
  process.off('warning', warn)
  expect(loud).toEqual(quiet)
  expect(new Set(quiet.seen.map(([status]) => status))).toEqual(new Set([200, 400, 401, 402, 404]))
  const finishes = new Set(quiet.seen.map(([, finish]) => finish))
  expect(finishes).toEqual(new Set(['stop', 'failed', 'client_disconnect', undefined]))
  expect(quiet.lines).toBe(requests)
  expect(quiet.rich.held).toBe(0)
  expect(warnings).toEqual(['a log line could not be written: Error: the log is full'])
}, 60_000)
