/** Requests that the operator cancels: an error in the dialect's own shape, and no charge. */
import { afterAll, expect, test } from 'bun:test'
import { perform } from '../operations/operations.ts'
import { startTestServer } from '../testing/test-server.ts'

const pricing = { inputNanoUsd: 1_000_000_000, outputNanoUsd: 1_000_000_000, unit: '1M_tokens' } as const
const server = startTestServer({ models: { 'test/paid': { manifest: { pricing } } } })
afterAll(() => server[Symbol.asyncDispose]())
const operator = { kind: 'operator', actor: 'cli:test', baseUrl: '' } as const

const endless = JSON.stringify({ script: [{ text: 'a' }, { waitForCancel: true }] })
const body = { model: 'test/paid', messages: [{ role: 'user', content: endless }], max_tokens: 100 }

interface Listed {
  readonly rows: readonly Record<string, unknown>[]
}

async function list(tab: string, filter = {}): Promise<Listed> {
  // the result of this operation
  return (await perform(server.services, operator, { name: 'requests-list', input: { tab, filter } })) as Listed
}

const cancel = (request: unknown) => perform(server.services, operator, { name: 'requests-cancel', input: { request } })

/** Resolves when the engine has produced a part of the answer. */
function firstOutput(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = server.requests.watch(({ firstOutputMs }) => firstOutputMs !== undefined && resolve())
  return promise.finally(stop)
}

test.each([
  ['/v1/chat/completions', 'data: {"error":{'],
  ['/v1/responses', 'event: response.failed'],
  ['/v1/messages', 'event: error'],
])('a stream of %s ends with its error, and nothing is charged', async (path, frame) => {
  const payer = server.payer(1_000_000_000)
  const hasOutput = firstOutput()
  const input = path.endsWith('responses')
    ? { input: endless, max_output_tokens: 100, messages: undefined, max_tokens: undefined }
    : {}
  const answer = await server.post(path, { ...body, ...input, stream: true }, { authorization: `Bearer ${payer.key}` })
  await hasOutput
  const { rows } = await list('running')
  expect(rows).toMatchObject([{ state: 'running', accountId: payer.accountId, keyId: payer.keyId, model: 'test/paid' }])
  const id = rows[0]?.id
  await cancel(id)
  const text = await answer.text()
  expect(text).toContain(frame)
  expect(text).toContain("The server's operator cancelled this request. Nothing was charged.")
  await server.drained()
  expect(payer.money()).toEqual({ balance: 1_000_000_000, held: 0 })
  expect(server.stores.usage.find(String(id))).toMatchObject({
    finish: 'failed',
    chargedNanoUsd: 0,
    firstOutputMs: expect.any(Number),
  })
  expect((await list('recent')).rows[0]).toMatchObject({ id, code: 'request_cancelled', state: 'ended' })
})

test('an answer that is sent whole becomes a 403, which clients do not repeat', async () => {
  const payer = server.payer(1_000_000_000)
  const begun = Promise.withResolvers<string>()
  const stop = server.requests.watch(
    ({ requestId, firstOutputMs }) => firstOutputMs !== undefined && begun.resolve(requestId),
  )
  const answering = server.post('/v1/chat/completions', body, { authorization: `Bearer ${payer.key}` })
  await cancel(await begun.promise)
  stop()
  const answer = await answering
  expect(answer.status).toBe(403)
  expect(await answer.json()).toMatchObject({ error: { code: 'request_cancelled' } })
  expect(payer.money()).toEqual({ balance: 1_000_000_000, held: 0 })
})

test('paid requests are listed from the database, with who paid and what was charged', async () => {
  const payer = server.payer(1_000_000_000)
  const content = 'one two three'
  await server.post(
    '/v1/chat/completions',
    { ...body, messages: [{ role: 'user', content }] },
    {
      authorization: `Bearer ${payer.key}`,
    },
  )
  const { rows } = await list('paid', { account: payer.accountId, statusClass: 2 })
  expect(rows).toMatchObject([{ finish: 'stop', keyId: payer.keyId, chargedNanoUsd: expect.any(Number) }])
  expect((await list('paid', { account: payer.accountId, statusClass: 5 })).rows).toEqual([])
  expect((await list('paid', { account: payer.accountId, slowerThanMs: 600_000 })).rows).toEqual([])
  expect((await list('recent', { account: payer.accountId })).rows).toHaveLength(1)
})

test('what cannot be cancelled is said', async () => {
  const problem = { code: 'not_found', what: 'running request', name: 'req_none' }
  await expect(cancel('req_none')).rejects.toMatchObject({ problem })
  await expect(list('all')).rejects.toMatchObject({ problem: { code: 'invalid_input', field: 'tab' } })
  expect(server.stores.audit.list().filter(({ action }) => action === 'request.cancel')).toHaveLength(4)
})
