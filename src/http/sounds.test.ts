/** Recordings in chats: the service with a tiny model that hears, stock clients, and accounts that pay. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import OpenAI from 'openai'
import { hearingModel } from '../testing/gguf/hearing-models.ts'
import { writeModel } from '../testing/gguf/model-file.ts'
import { recording } from '../testing/recording.ts'
import { tone } from '../testing/sounds.ts'
import { startTestServer, type TestServer } from '../testing/test-server.ts'

const model = 'test/hears'
const tokenNanoUsd = 1_000_000
const price = tokenNanoUsd * 1_000_000
const pricing = { inputNanoUsd: price, cachedInputNanoUsd: price / 2, outputNanoUsd: price, unit: '1M_tokens' } as const
const plenty = 1_000_000 * tokenNanoUsd
/** Time limit of a test on a busy machine. */
const limitMs = 60_000
/** Places of a recording of up to 30 seconds in the prompt. */
const soundTokens = 375

const folder = mkdtempSync(join(tmpdir(), 'inferd-sounds-'))
let server: TestServer

beforeAll(async () => {
  const { model: plan, projector } = hearingModel('ultravox')
  const filePaths = { model: join(folder, 'model.gguf'), mmproj: join(folder, 'mmproj.gguf') }
  await writeModel(plan, filePaths.model)
  await writeModel(projector, filePaths.mmproj)
  const capabilities = { audio: true }
  server = startTestServer({
    models: {
      fake: {},
      [model]: { manifest: { type: 'chat', engine: 'llama', pricing, capabilities }, filePaths },
    },
    engine: { contextTokens: 32_768 },
    config: { bodyLimitBytes: 64 * 1024 * 1024 },
  })
}, limitMs)

afterEach(async () => {
  await server.drained()
  expect(server.spooled()).toEqual([])
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

/** Returns a WAV file with a tone. */
function wav(hertz: number, seconds = 1): string {
  return recording(seconds, new Uint8Array(tone(hertz, seconds).buffer)).toString('base64')
}

function input(data: string, format: 'wav' | 'mp3' = 'wav') {
  return { type: 'input_audio', input_audio: { data, format } } as const
}

function question(...parts: readonly object[]) {
  return [{ role: 'user', content: [...parts, { type: 'text', text: 'What is it?' }] }]
}

/** Reads a stream to its first text. Returns the reader of the rest. */
async function readText({ body }: Response): Promise<() => Promise<string>> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  const read = async (isEnd: (text: string) => boolean) => {
    let text = ''
    while (!isEnd(text)) {
      const next = await reader?.read()
      if (next === undefined || next.done) break
      text += next.value
    }
    return text
  }
  await read((text) => /"content":"[^"]/.test(text))
  return () => read(() => false)
}

function clientOf(key: string): OpenAI {
  return new OpenAI({ baseURL: `${server.url}/v1`, apiKey: key, maxRetries: 0 })
}

test(
  'the openai client sends a recording, which is counted, paid and cached',
  async () => {
    const payer = server.payer(plenty)
    const client = clientOf(payer.key)
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'user', content: [input(wav(300)), { type: 'text', text: 'What is it?' }] },
    ]
    const asked = { model, messages, max_tokens: 3, temperature: 0 }
    const { usage } = await client.chat.completions.create(asked)
    expect(usage?.prompt_tokens_details).toMatchObject({ audio_tokens: soundTokens, cached_tokens: 0 })
    const firstCost = ((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0)) * tokenNanoUsd
    await server.drained()
    expect(payer.money()).toEqual({ balance: plenty - firstCost, held: 0 })

    const { usage: again } = await client.chat.completions.create(asked)
    const cached = again?.prompt_tokens_details?.cached_tokens ?? 0
    expect(cached).toBeGreaterThan(soundTokens)
    expect(again).toMatchObject({ prompt_tokens: usage?.prompt_tokens })
    const tokens = (again?.prompt_tokens ?? 0) - cached / 2 + (again?.completion_tokens ?? 0)
    await server.drained()
    expect(payer.money()).toEqual({ balance: plenty - firstCost - tokens * tokenNanoUsd, held: 0 })

    const stream = await client.chat.completions.create({
      ...asked,
      stream: true,
      stream_options: { include_usage: true },
    })
    let streamed: OpenAI.CompletionUsage | null | undefined
    for await (const chunk of stream) streamed = chunk.usage ?? streamed
    expect(streamed?.prompt_tokens_details).toMatchObject({ audio_tokens: soundTokens })
  },
  limitMs,
)

test(
  'responses take the same recording, and count it beforehand',
  async () => {
    const client = clientOf(server.keys.valid)
    const audio = input(wav(500, 31)) as never // the SDK's types lack it
    const body = { model, input: [{ role: 'user' as const, content: [audio] }] }
    const { usage } = await client.responses.create({ ...body, max_output_tokens: 16 })
    const { input_tokens: counted } = await client.responses.inputTokens.count(body)
    expect(counted).toBe(usage?.input_tokens ?? 0)
    expect(counted).toBeGreaterThan(2 * soundTokens)
  },
  limitMs,
)

test(
  'the same recording is the same prompt as vLLM clients write it',
  async () => {
    const ask = async (part: object) => {
      const response = await server.post('/v1/chat/completions', { model, messages: question(part), max_tokens: 1 })
      const { usage } = (await response.json()) as { usage: OpenAI.CompletionUsage }
      return usage.prompt_tokens
    }
    const url = `data:audio/wav;base64,${wav(700)}`
    const asked = [
      input(wav(700)),
      input(url),
      { type: 'audio_url', audio_url: { url } },
      { type: 'audio_url', audio_url: url },
    ]
    const counts = await Promise.all(asked.map(ask))
    expect(new Set(counts).size).toBe(1)
  },
  limitMs,
)

test('GET /models says who hears', async () => {
  const client = clientOf(server.keys.valid)
  const modalities = new Map<string, unknown>()
  for await (const each of client.models.list()) {
    modalities.set(
      each.id,
      (each as unknown as { architecture: { input_modalities: unknown } }).architecture.input_modalities,
    )
  }
  expect(modalities.get(model)).toEqual(['text', 'file', 'audio'])
  expect(modalities.get('fake')).toEqual(['text', 'file'])
})

describe('refused is', () => {
  const place = 'messages[0].content[0]'

  async function refusal(parts: readonly object[], asked = model) {
    const response = await server.post('/v1/chat/completions', {
      model: asked,
      messages: question(...parts),
      max_tokens: 1,
    })
    const { error } = (await response.json()) as { error: { code: string; param: string; message: string } }
    return { status: response.status, ...error }
  }

  test('a recording for a model that does not hear', async () => {
    const { status, code, param } = await refusal([input(wav(300))], 'fake')
    expect({ status, code, param }).toEqual({ status: 400, code: 'unsupported_content', param: place })
  })

  test.each([
    ['no base64', '!', 'its base64 is damaged'],
    ['empty', 'data:audio/wav;base64,', 'it is empty'],
    ['a picture', Buffer.from('\x89PNG\r\n\x1a\n'.repeat(20), 'latin1').toString('base64'), 'not a known kind'],
    ['text', Buffer.from('hello '.repeat(100)).toString('base64'), 'not a known kind'],
    ['a cut header', recording(1).subarray(0, 30).toString('base64'), 'cannot be decoded'],
    ['a header without sound', recording(0).toString('base64'), 'cannot be decoded'],
    ['a hundredth of a second', recording(0.01).toString('base64'), 'it is shorter than 0.1 s'],
  ])('%s', async (_, data, reason) => {
    const { status, code, param, message } = await refusal([input(data)])
    expect({ status, code, param }).toEqual({ status: 400, code: 'invalid_audio', param: place })
    expect(message).toInclude(reason)
    expect(message).toInclude(place)
  })

  test('a recording of eleven minutes', async () => {
    const { status, code, message } = await refusal([input(recording(660).toString('base64'))])
    expect([status, code]).toEqual([400, 'invalid_audio'])
    expect(message).toInclude('at most 10 minutes')
  })

  test('a header that promises hours', async () => {
    const file = recording(1)
    file.writeUInt32LE(0x7fff_0000, 4)
    file.writeUInt32LE(0x7fff_0000, 40)
    const { status } = await refusal([input(file.toString('base64'))])
    expect([200, 400]).toContain(status)
  })

  test('more than 25 MB', async () => {
    const { status, code } = await refusal([input(recording(850).toString('base64'))])
    expect([status, code]).toEqual([413, 'payload_too_large'])
  })

  test('a ninth recording', async () => {
    const nine = Array.from({ length: 9 }, (_, index) => input(wav(300 + index)))
    const { status, code, param } = await refusal(nine)
    expect({ status, code, param }).toEqual({
      status: 400,
      code: 'too_many_recordings',
      param: 'messages[0].content[8]',
    })
  })

  test('an address, unless the operator has enabled it', async () => {
    const { status, code, message } = await refusal([{ type: 'audio_url', audio_url: { url: 'https://a.test/a.wav' } }])
    expect([status, code]).toEqual([400, 'invalid_audio_url'])
    expect(message).toInclude('file-urls')
  })
})

test(
  'a client that leaves pays for what was computed, and an engine that is killed costs nothing',
  async () => {
    const payer = server.payer(plenty)
    const headers = { authorization: `Bearer ${payer.key}` }
    const body = { model, messages: question(input(wav(900, 120))), max_tokens: 4000, ignore_eos: true, stream: true }
    const leaving = new AbortController()
    const left = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: leaving.signal,
    })
    const requestId = left.headers.get('x-request-id')
    await readText(left)
    leaving.abort()
    const line = await server.line((each) => each.requestId === requestId)
    await server.drained()
    const { balance, held } = payer.money()
    expect(held).toBe(0)
    expect(plenty - balance).toBeGreaterThanOrEqual(4 * soundTokens * tokenNanoUsd)
    expect(plenty - balance).toBe(line.costNanoUsd ?? 0)

    const killed = await server.post(
      '/v1/chat/completions',
      { ...body, messages: question(input(wav(950, 120))) },
      headers,
    )
    const rest = await readText(killed)
    const engine = server.pool.status().find((each) => each.modelId === model)
    process.kill(engine?.pid ?? 0, 'SIGKILL')
    expect(await rest()).toInclude('engine_failed')
    await server.drained()
    expect(payer.money()).toEqual({ balance, held: 0 })
  },
  limitMs,
)
