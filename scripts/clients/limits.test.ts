/** Tests how often client libraries try again after a refusal by a limit, and how long they wait. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Limits } from '../../src/billing/limits.ts'
import { startTestServer, type TestServer } from '../../src/testing/test-server.ts'

const pricing = { inputNanoUsd: 10_000_000, outputNanoUsd: 30_000_000, unit: '1M_tokens' } as const
const clients = ['openai', 'anthropic', 'ai', 'cohere'] as const
const time = { ms: 0 }
let server: TestServer

beforeAll(() => {
  server = startTestServer({
    models: {
      'test/fake': { manifest: { pricing, aliases: [{ id: 'fake' }] } },
      'test/embedder': { manifest: { type: 'embedding', dimensions: 4, pricing } },
    },
    monotonicMs: () => time.ms,
  })
})

afterAll(() => server[Symbol.asyncDispose]())

interface Told {
  readonly tries: number
  /** Waits before another try, milliseconds. */
  readonly waitsMs: readonly number[]
  /** `ok`, or the status of the error. */
  readonly ended: string
}

/** Returns what each client does with the limits, 50.5 seconds after `used` requests. */
async function told(limits: Limits, used: number): Promise<Readonly<Record<string, Told>>> {
  const keys = await Promise.all(clients.map(() => limitedKey(limits, used)))
  time.ms += 50_500
  const calls = clients.map(async (client, index) => [client, await call(client, keys[index] ?? '')] as const)
  return Object.fromEntries(await Promise.all(calls))
}

async function limitedKey(limits: Limits, used: number): Promise<string> {
  const { keyId, key } = server.payer(1_000_000)
  await server.stores.commits.run(() => server.stores.limits.set(keyId, limits))
  const body = { model: 'fake', max_tokens: 3, messages: [{ role: 'user', content: 'one two three' }] }
  for (let index = 0; index < used; index++) {
    await (await server.post('/v1/chat/completions', body, { authorization: `Bearer ${key}` })).text()
  }
  return key
}

async function call(client: string, key: string): Promise<Told> {
  const script = join(import.meta.dir, 'limited-client.ts')
  const child = Bun.spawn([process.execPath, script, client, server.url, key], { stdout: 'pipe', stderr: 'inherit' })
  return JSON.parse(await new Response(child.stdout).text())
}

function each(expected: Told): Readonly<Record<string, Told>> {
  return Object.fromEntries(clients.map((client) => [client, expected]))
}

test('no client tries again what a budget or a list of models refuses', async () => {
  expect(await told({ monthlyNanoUsd: 0 }, 0)).toEqual(each({ tries: 1, waitsMs: [], ended: '402' }))
  expect(await told({ models: [] }, 0)).toEqual(each({ tries: 1, waitsMs: [], ended: '403' }))
})

test('every client waits until requests of a minute are left', async () => {
  const exact = { tries: 3, waitsMs: [9_500, 9_500], ended: '429' }
  expect(await told({ requestsPerMinute: 1 }, 1)).toEqual({
    ...each(exact),
    cohere: { ...exact, waitsMs: [10_000, 10_000] },
  })
})

test('of waits above a minute some clients are told not to try, one hurries, and one waits a minute', async () => {
  expect(await told({ tokensPerMinute: 2 }, 1)).toEqual({
    openai: { tries: 1, waitsMs: [], ended: '429' },
    anthropic: { tries: 1, waitsMs: [], ended: '429' },
    ai: { tries: 3, waitsMs: [2_000, 4_000], ended: '429' },
    cohere: { tries: 3, waitsMs: [60_000, 60_000], ended: '429' },
  })
})
