/** The playground's routes: the public handlers, for the account that is signed in. */
import { afterAll, describe, expect, test } from 'bun:test'
import { DashboardClient } from '../../testing/dashboard-client.ts'
import { recording } from '../../testing/recording.ts'
import { startTestServer } from '../../testing/test-server.ts'
import { textModels } from '../../testing/text-models.ts'
import { routes } from '../routes.ts'

const pricing = { inputNanoUsd: 10_000_000, outputNanoUsd: 30_000_000, unit: '1M_tokens' } as const
const server = startTestServer({
  models: {
    'test/paid': { manifest: { pricing } },
    'test/ears': { manifest: { type: 'stt', pricing: { priceNanoUsd: 2_000_000, unit: 'minute' } } },
    ...textModels,
  },
})
afterAll(() => server[Symbol.asyncDispose]())

const chat = { model: 'test/paid', messages: [{ role: 'user', content: 'one two' }] }

function member(balanceNanoUsd = 1_000_000_000) {
  const payer = server.payer(balanceNanoUsd)
  const browser = DashboardClient.signedIn(server, payer.accountId)
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/dashboard/v1/${path}`, {
      method: 'POST',
      headers: { origin: server.url, cookie: browser.cookie ?? '', ...headers },
      body: body instanceof FormData ? body : JSON.stringify(body),
    })
  return { ...payer, browser, post }
}

const asJson = { 'content-type': 'application/json' }

function audioForm(): FormData {
  const form = new FormData()
  form.set('model', 'test/ears')
  form.set('prompt', 'one two')
  form.set('file', new File([recording(4)], 'recording.wav'))
  return form
}

test('every route that takes an API key for work is there, by the same handler', () => {
  const work = routes.filter(
    ({ path, access, body }) => path.startsWith('/v1/') && access === 'key' && body !== undefined,
  )
  expect(work.length).toBeGreaterThan(8)
  for (const { method, path, handle } of work) {
    const own = routes.find((route) => route.method === method && route.path === `/dashboard${path}`)
    expect(own).toMatchObject({ access: 'playground', handle, summary: undefined })
  }
})

describe('an answer', () => {
  test('is charged to the account, under the key of the playground', async () => {
    const { post, browser, money } = member()
    const answer = await post('chat/completions', chat, asJson)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'one two' } }] })
    expect(answer.headers.get('x-cost-usd')).toBe('0.00000011')
    expect(money()).toEqual({ balance: 1_000_000_000 - 110, held: 0 })
    const keys = (await browser.perform('keys-list')).result
    const key = keys.find((row: { isPlayground: boolean }) => row.isPlayground)
    expect(key).toMatchObject({
      name: 'playground',
      revokedAtMs: null,
      expiresAtMs: null,
      cost30DaysUsd: '0.00000011',
    })
    expect(key.lastUsedMs).not.toBeNull()
    const receipt = await browser.perform('usage-receipt', { request: answer.headers.get('x-request-id') })
    expect(receipt.result).toMatchObject({ keyId: key.id, keyName: 'playground', chargedUsd: '0.00000011' })
  })

  test('streams, and other sites get no CORS headers', async () => {
    const { post } = member()
    const answer = await post('chat/completions', { ...chat, stream: true }, asJson)
    expect(answer.headers.get('content-type')).toStartWith('text/event-stream')
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.text()).toEndWith('data: [DONE]\n\n')
  })

  test.each([
    ['responses', { model: 'fake', input: 'hi' }],
    ['responses/input_tokens', { model: 'fake', input: 'hi' }],
    ['messages', { model: 'fake', messages: chat.messages, max_tokens: 5 }],
    ['messages/count_tokens', { model: 'fake', messages: chat.messages }],
    ['embeddings', { model: 'embedder', input: 'hi' }],
    ['rerank', { model: 'reranker', query: 'hi', documents: ['hi'] }],
  ])('of %s comes', async (path, body) => {
    const answer = await member().post(path, body, asJson)
    expect(answer.status).toBe(200)
  })

  test('of a recording comes', async () => {
    const answer = await member().post('audio/transcriptions', audioForm())
    expect(await answer.json()).toMatchObject({ text: 'one two' })
  })

  test('without money is a 402 with its figures', async () => {
    const answer = await member(0).post('chat/completions', chat, asJson)
    expect(answer.status).toBe(402)
    expect(await answer.text()).toContain('$0 is available')
  })

  test('in the shape of messages fails in that shape', async () => {
    const answer = await member().post('messages', {}, asJson)
    expect(await answer.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } })
  })
})

test('models are listed for the account that is signed in', async () => {
  const { browser } = member()
  const get = (path: string, cookie = '') => fetch(`${server.url}/dashboard/v1/${path}`, { headers: { cookie } })
  expect((await get('models')).status).toBe(401)
  const list = await get('models', browser.cookie)
  expect(await list.text()).toContain('"id":"test/paid"')
  expect((await get('models/test/paid', browser.cookie)).status).toBe(200)
  expect(list.headers.has('access-control-allow-origin')).toBe(false)
})

describe('the key of the playground', () => {
  /** Returns the id of the playground's key, which the first use makes. */
  async function used() {
    const who = member()
    await who.post('chat/completions', chat, asJson)
    const key = server.stores.keys.list({ accountId: who.accountId }).find(({ isPlayground }) => isPlayground)
    if (key === undefined) throw new Error('there is no key of the playground')
    return { ...who, playground: key }
  }

  test('is made once, however many requests come first', async () => {
    const { post, accountId } = member()
    const answers = await Promise.all(Array.from({ length: 8 }, () => post('chat/completions', chat, asJson)))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(server.stores.keys.list({ accountId }).filter(({ isPlayground }) => isPlayground)).toHaveLength(1)
  })

  test('opens nothing by what is shown of it', async () => {
    const { playground } = await used()
    for (const secret of [playground.id, playground.prefix, playground.prefix.padEnd(50, 'x')]) {
      expect(server.stores.keys.verify(secret)).toEqual({ kind: 'unknown' })
    }
  })

  test('is neither revoked nor renamed, by its owner or by the operator', async () => {
    const { browser, playground, post } = await used()
    for (const answer of [
      await browser.perform('keys-revoke', { key: playground.id }),
      await browser.perform('keys-rename', { key: playground.id, name: 'x' }),
    ]) {
      expect(answer).toMatchObject({ status: 400, json: { error: { code: 'playground_key' } } })
    }
    expect((await post('chat/completions', chat, asJson)).status).toBe(200)
  })

  test('takes none of the hundred places', async () => {
    const { browser, accountId } = await used()
    for (let index = 0; index < 98; index++) server.stores.keys.create({ accountId, name: 'x' })
    expect((await browser.perform('keys-create', { name: 'last' })).status).toBe(200)
    expect((await browser.perform('keys-create', { name: 'x' })).json.error.code).toBe('too_many_keys')
  })

  test('ends with its account', async () => {
    const { accountId, post } = await used()
    server.stores.accounts.setDisabled(accountId, true)
    expect((await post('chat/completions', chat, asJson)).status).toBe(401)
  })
})

describe('nothing is done', () => {
  test.each([
    ['for a page of another site', { origin: 'https://evil.example' }, 403, 'cross_origin'],
    ['for another port of this host', { origin: server.url.replace(/\d+$/, '1') }, 403, 'cross_origin'],
    [
      'for an API key without a session',
      { cookie: '', authorization: `Bearer ${server.keys.valid}` },
      401,
      'not_signed_in',
    ],
    ['under a name that is not this server’s', { host: 'evil.example' }, 421, 'unknown_host'],
  ] as const)('%s', async (_, headers, status, code) => {
    const { post, money, accountId } = member()
    for (const answer of [
      await post('chat/completions', chat, { ...asJson, ...headers }),
      await post('audio/transcriptions', audioForm(), headers),
    ]) {
      expect(answer.status).toBe(status)
      expect(await answer.text()).toContain(`"code":"${code}"`)
    }
    expect(money()).toEqual({ balance: 1_000_000_000, held: 0 })
    expect(server.stores.keys.list({ accountId })).toHaveLength(1)
  })
})
