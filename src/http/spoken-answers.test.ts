/** Audio that is being sent, with the fake engine: failures midway, and clients that read slowly or not at all. */
import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { NewPaths } from '../testing/new-paths.ts'
import { openRaw } from '../testing/raw-connection.ts'
import { startTestServer } from '../testing/test-server.ts'

const pricing = { priceNanoUsd: 1_000_000_000_000, unit: '1M_characters' } as const
const server = startTestServer({
  models: { 'test/voice': { manifest: { type: 'tts', pricing } } },
  config: { idleTimeoutSeconds: 1 },
})
afterAll(() => server[Symbol.asyncDispose]())
afterEach(async () => {
  await server.drained()
  expect(server.spooled()).toEqual([])
})

const model = 'test/voice'
const script = (...actions: object[]) => JSON.stringify({ script: actions })
const sound = { soundBytes: 1000 }
const broken = { error: { kind: 'engine', code: 'engine_failed', message: 'It broke.' } }

function speak(input: string, more: object = {}, key = server.keys.valid, signal?: AbortSignal) {
  return fetch(`${server.baseUrl}/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, input, voice: 'alloy', response_format: 'pcm', ...more }),
    ...(signal && { signal }),
  })
}

const lineOf = (response: Response) =>
  server.line(({ requestId }) => requestId === response.headers.get('x-request-id'))

test('audio comes as it is made', async () => {
  const response = await speak(script(sound, { waitForCancel: true }, sound))
  const reader = response.body?.getReader()
  expect((await reader?.read())?.value).toHaveLength(1000)
  await reader?.cancel()
})

describe('an engine that fails', () => {
  test.each([broken, { crash: 'exit' }])('before the first byte is a status', async (failure) => {
    const response = await speak(script(failure, sound))
    expect([response.status, await response.json()]).toMatchObject([502, { error: { code: 'engine_failed' } }])
    expect(response.headers.get('content-type')).toStartWith('application/json')
  })

  test('after it breaks the connection off, so that nobody takes the answer for a whole one', async () => {
    const payer = server.payer(1_000_000_000)
    const response = await speak(script(sound, { delayMs: 20 }, broken), {}, payer.key)
    expect(response.status).toBe(200)
    await expect(response.arrayBuffer()).rejects.toThrow()
    expect(await lineOf(response)).toMatchObject({ status: 200, code: 'engine_failed', isAborted: false })
    expect(payer.money()).toEqual({ balance: 1_000_000_000, held: 0 })
  })

  test('and comes back while a WAV file is made begins the file again', async () => {
    using paths = new NewPaths()
    const payer = server.payer(1_000_000_000)
    const input = script(sound, { crash: 'exit', once: paths.next() }, sound, sound)
    const response = await speak(input, { response_format: 'wav' }, payer.key)
    const bytes = Buffer.from(await response.arrayBuffer())
    expect([response.status, bytes.length, bytes.readUInt32LE(40)]).toEqual([200, 44 + 3000, 3000])
    expect(bytes.toString('latin1', 0, 4)).toBe('RIFF')
    expect(payer.money()).toEqual({ balance: 1_000_000_000 - input.length * 1_000_000, held: 0 })
  })

  test('while a WAV file is made is a status, and nothing of the file is left', async () => {
    const response = await speak(script(sound, { delayMs: 20 }, broken), { response_format: 'wav' })
    expect([response.status, await response.json()]).toMatchObject([502, { error: { code: 'engine_failed' } }])
  })

  test('is an error among events', async () => {
    const response = await speak(script(sound, broken), { stream_format: 'sse' })
    const text = await response.text()
    expect(text).toContain('"type":"speech.audio.delta"')
    expect(text).toContain('"code":"engine_failed"')
    expect(text).not.toContain('speech.audio.done')
  })
})

test('a text without sound is an answer without bytes', async () => {
  const response = await speak(script())
  expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, 0])
  const wav = await speak(script(), { response_format: 'wav' })
  expect((await wav.arrayBuffer()).byteLength).toBe(44)
})

test('a large WAV file has its exact size, and its price in front', async () => {
  const pieces = Array(40).fill({ soundBytes: 500_000 })
  const payer = server.payer(10_000_000_000)
  const response = await speak(script(...pieces), { response_format: 'wav' }, payer.key)
  const wav = Buffer.from(await response.arrayBuffer())
  expect([wav.length, wav.readUInt32LE(40)]).toEqual([20_000_044, 20_000_000])
  expect(Number(response.headers.get('x-cost-usd'))).toBeGreaterThan(0)
})

test('of what is made for a client that disconnects nothing is left', async () => {
  const payer = server.payer(1_000_000_000)
  for (const response_format of ['pcm', 'wav']) {
    const client = new AbortController()
    const speaking = speak(script(sound, { waitForCancel: true }), { response_format }, payer.key, client.signal)
    speaking.catch(() => undefined)
    // Wait until the work holds money.
    while (payer.money().held === 0) await fetch(`${server.url}/health`)
    client.abort()
    await server.line(({ accountId, isAborted }) => accountId === payer.accountId && isAborted === true)
    await server.drained()
    expect(payer.money().held).toBe(0)
  }
})

/** Requests 30 MB of audio and reads only the answer's head. Resolves with the final records of the server. */
async function neglect(response_format: string) {
  const body = JSON.stringify({
    model,
    input: script(
      ...Array(300)
        .fill([{ soundBytes: 100_000 }, { delayMs: 1 }])
        .flat(),
    ),
    voice: 'alloy',
    response_format,
  })
  const { socket, until } = await openRaw(server.url)
  socket.write(
    `POST /v1/audio/speech HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.keys.valid}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  const head = await until('\r\n\r\n')
  socket.pause()
  const line = await server.line(({ requestId }) => head.includes(requestId))
  socket.destroy()
  return { line, share: (server.stores.usage.find(line.requestId)?.used.characters ?? 0) / body.length }
}

test('clients that do not read are cut off in the end; the engine pauses until then', async () => {
  const [streamed, spooled] = await Promise.all(['pcm', 'wav'].map(neglect))
  expect(streamed?.line).toMatchObject({ status: 200, isAborted: true, finish: 'client_disconnect' })
  expect(streamed?.share).toBeWithin(0.01, 0.5)
  // The audio was made and paid for before its first byte was sent.
  expect(spooled?.line).toMatchObject({ status: 200, isAborted: true, finish: 'stop' })
}, 60_000)
