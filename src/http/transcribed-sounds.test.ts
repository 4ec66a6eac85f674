/** Recordings for models that do not hear: transcribed first, and paid together with the chat or not at all. */
import { afterAll, afterEach, expect, test } from 'bun:test'
import { recording } from '../testing/recording.ts'
import { type Payer, startTestServer } from '../testing/test-server.ts'
import { until } from '../testing/until.ts'

const tokenNanoUsd = 1_000_000
const price = tokenNanoUsd * 1_000_000
const pricing = { inputNanoUsd: price, cachedInputNanoUsd: price, outputNanoUsd: price, unit: '1M_tokens' } as const
const minuteNanoUsd = 60_000_000_000
const plenty = 1_000_000 * tokenNanoUsd

const server = startTestServer({
  models: {
    'test/deaf': { manifest: { type: 'chat', engine: 'fake', pricing } },
    'test/ears': {
      manifest: { type: 'stt', engine: 'fake', pricing: { priceNanoUsd: minuteNanoUsd, unit: 'minute' } },
    },
  },
  config: { audioFallback: 'test/ears', silentWaitMs: 50 },
})
afterAll(() => server[Symbol.asyncDispose]())
afterEach(async () => {
  await server.drained()
  expect(server.spooled()).toEqual([])
})

/** Returns a recording that the fake engine transcribes by the script. */
function spoken(seconds: number, script: readonly object[]) {
  const data = recording(seconds, JSON.stringify({ transcribe: { script } })).toString('base64')
  return { type: 'input_audio', input_audio: { data, format: 'wav' } }
}

const words = (text: string) => [{ output: { type: 'segment', text, startSeconds: 0, endSeconds: 1 } }]

function ask({ key }: Payer, content: readonly object[], more: object = {}) {
  const body = { model: 'test/deaf', messages: [{ role: 'user', content }], ...more }
  return server.post('/v1/chat/completions', body, { authorization: `Bearer ${key}` })
}

test('the transcript goes in, and both are settled together', async () => {
  const payer = server.payer(plenty)
  const response = await ask(payer, [
    spoken(2, words('hello there')),
    spoken(1, words('bye')),
    { type: 'text', text: 'So?' },
  ])
  expect(response.status).toBe(200)
  expect(response.headers.get('x-audio-transcribed-by')).toBe('test/ears')
  const { choices, usage } = (await response.json()) as {
    choices: [{ message: { content: string } }]
    usage: { prompt_tokens: number; completion_tokens: number; prompt_tokens_details: object }
  }
  expect(choices[0].message.content).toBe('hello there\nbye\nSo?')
  expect(usage.prompt_tokens_details).toMatchObject({ audio_tokens: 0 })
  await server.drained()
  const chat = (usage.prompt_tokens + usage.completion_tokens) * tokenNanoUsd
  const cost = chat + 3_000 * (minuteNanoUsd / 60_000)
  expect(payer.money()).toEqual({ balance: plenty - cost, held: 0 })
  expect(response.headers.get('x-cost-usd')).toBe(String(cost / 1e9))
  const requestId = response.headers.get('x-request-id') ?? ''
  expect(server.stores.usage.find(`${requestId}_1`)).toMatchObject({ model: 'test/ears', used: { audioMs: 2000 } })
  const step = await server.line((line) => line.requestId === `${requestId}_1`)
  expect(step).toMatchObject({ status: 200, model: 'test/ears', costNanoUsd: 2 * (minuteNanoUsd / 60) })
  expect(server.stores.usage.find(`${requestId}_2`)).toMatchObject({ model: 'test/ears', used: { audioMs: 1000 } })
})

test('a chat that fails charges neither', async () => {
  const payer = server.payer(plenty)
  const messages = [
    { role: 'user', content: [spoken(2, words('one'))] },
    { role: 'user', content: JSON.stringify({ script: [{ crash: 'kill' }] }) },
  ]
  const response = await ask(payer, [], { messages })
  expect(await response.json()).toMatchObject({
    error: { code: 'engine_failed', message: expect.stringContaining('deaf') },
  })
  await server.drained()
  expect(payer.money()).toEqual({ balance: plenty, held: 0 })
})

test('a transcription that fails charges neither', async () => {
  const payer = server.payer(plenty)
  const response = await ask(payer, [spoken(2, words('one')), spoken(2, [{ crash: 'kill' }])])
  expect(await response.json()).toMatchObject({
    error: { code: 'engine_failed', message: expect.stringContaining('ears') },
  })
  await server.drained()
  expect(payer.money()).toEqual({ balance: plenty, held: 0 })
})

test('a client that leaves pays for both, as far as they were computed', async () => {
  const payer = server.payer(plenty)
  const messages = [
    { role: 'user', content: [spoken(2, words('one'))] },
    { role: 'user', content: JSON.stringify({ script: [{ text: 'first' }, { waitForCancel: true }] }) },
  ]
  const leaving = new AbortController()
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'test/deaf', messages, stream: true }),
    signal: leaving.signal,
  })
  const requestId = response.headers.get('x-request-id')
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  for (let text = ''; !text.includes('first'); ) text += (await reader?.read())?.value ?? 'first'
  leaving.abort()
  const { costNanoUsd = 0 } = await server.line((line) => line.requestId === requestId)
  await server.drained()
  expect(costNanoUsd).toBeGreaterThan(0)
  expect(payer.money()).toEqual({ balance: plenty - costNanoUsd - 2_000 * (minuteNanoUsd / 60_000), held: 0 })
})

test('a client that leaves before its chat has begun pays for the transcriptions', async () => {
  const payer = server.payer(plenty)
  const leaving = new AbortController()
  const content = [spoken(2, words('one')), spoken(2, [...words('two'), { waitForCancel: true }])]
  const left = fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'test/deaf', messages: [{ role: 'user', content }] }),
    signal: leaving.signal,
  }).catch(() => 'left')
  const second = 2_000 * (minuteNanoUsd / 60_000)
  await until(
    'the second transcription',
    () => payer.money().held,
    (held) => held > second,
  )
  leaving.abort()
  expect(await left).toBe('left')
  const { requestId } = await server.line(
    ({ accountId, endpoint }) => accountId === payer.accountId && endpoint === 'chat/completions',
  )
  await server.drained()
  const [one, two, chat] = ['_1', '_2', ''].map((step) => server.stores.usage.find(requestId + step))
  expect(one?.chargedNanoUsd).toBe(second)
  expect(chat).toBeUndefined()
  expect(payer.money()).toEqual({ balance: plenty - second - (two?.chargedNanoUsd ?? 0), held: 0 })
})

test('a stream begins while its recording is transcribed', async () => {
  const payer = server.payer(plenty)
  const leaving = new AbortController()
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${payer.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'test/deaf',
      messages: [{ role: 'user', content: [spoken(2, [{ waitForCancel: true }])] }],
      stream: true,
    }),
    signal: leaving.signal,
  })
  expect(response.status).toBe(200)
  expect(response.headers.get('x-audio-transcribed-by')).toBe('test/ears')
  leaving.abort()
  await server.drained()
  expect(payer.money().held).toBe(0)
})

test('an account without money for both is refused, and pays nothing', async () => {
  const enoughForSound = 2_000 * (minuteNanoUsd / 60_000) + 2 * tokenNanoUsd
  const payer = server.payer(enoughForSound)
  expect((await ask(payer, [spoken(2, words('one two three'))], { max_tokens: 50 })).status).toBe(402)
  const poor = server.payer(2 * tokenNanoUsd)
  expect((await ask(poor, [spoken(2, words('one'))])).status).toBe(402)
  await server.drained()
  expect(payer.money()).toEqual({ balance: enoughForSound, held: 0 })
  expect(poor.money()).toEqual({ balance: 2 * tokenNanoUsd, held: 0 })
})

test('tokens of a recording that is not transcribed yet are not counted', async () => {
  const content = [{ type: 'input_audio', input_audio: { data: recording(1).toString('base64') } }]
  const response = await server.post('/v1/responses/input_tokens', {
    model: 'test/deaf',
    input: [{ role: 'user', content }],
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { code: 'unsupported_content' } })
})
