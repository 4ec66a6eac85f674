/** Failing uploads leave nothing behind, and only computed work is charged. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NewPaths } from '../testing/new-paths.ts'
import { openRaw } from '../testing/raw-connection.ts'
import { recording } from '../testing/recording.ts'
import { startTestServer, type TestServer, type TestServerOptions } from '../testing/test-server.ts'

const pricing = { priceNanoUsd: 60_000_000, unit: 'minute' } as const
const ears = { manifest: { type: 'stt', pricing, capabilities: { diarization: true } } } as const
const models = {
  'test/ears': ears,
  'test/deaf-to-voices': { manifest: { type: 'stt', pricing } },
  'test/elsewhere': { manifest: { type: 'stt', pricing }, status: { kind: 'available' } },
} as const

const servers: TestServer[] = []
function serve(options: TestServerOptions = {}): TestServer {
  const server = startTestServer({ models, ...options })
  servers.push(server)
  return server
}
afterEach(async () => {
  for (const server of servers.splice(0)) {
    await server.drained()
    expect(server.spooled()).toEqual([])
    await server[Symbol.asyncDispose]()
  }
})

const model = 'test/ears'
const boundary = 'x'

function partsOf(fields: Record<string, string>, content: Uint8Array, { isWhole = true } = {}): Buffer {
  const head = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const fileHead = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n`
  const end = isWhole ? `\r\n--${boundary}--\r\n` : ''
  return Buffer.concat([Buffer.from(head.join('') + fileHead), content, Buffer.from(end)])
}

/** Sends the head of a request and this part of its body. */
async function begin(server: TestServer, key: string, body: Uint8Array, length = `content-length: ${body.length}`) {
  const connection = await openRaw(server.url)
  connection.socket.write(
    `POST /v1/audio/transcriptions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
      `content-type: multipart/form-data; boundary=${boundary}\r\n${length}\r\n\r\n`,
  )
  connection.socket.write(body)
  return connection
}

async function send(
  server: TestServer,
  key: string,
  fields: Record<string, string>,
  content: Uint8Array = recording(1),
) {
  const response = await fetch(`${server.baseUrl}/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: partsOf({ model, ...fields }, content),
  })
  return { status: response.status, text: await response.text() }
}

/** Returns a recording at a sample rate that engines do not read, so `ffmpeg` decodes it. */
function foreignRecording(): Buffer {
  const wav = recording(1)
  wav.writeUInt32LE(8000, 24)
  wav.writeUInt32LE(16_000, 28)
  return wav
}

const script = (...actions: object[]) => JSON.stringify({ script: actions })
const segment = { output: { type: 'segment', text: 'heard', startSeconds: 0, endSeconds: 0.5 } }

/** Resolves when there are files in the spool. */
async function spooledIn(server: TestServer): Promise<void> {
  while (server.spooled().length === 0) await fetch(`${server.url}/health`)
}

describe('a client that disconnects', () => {
  test('while it uploads', async () => {
    const server = serve()
    const payer = server.payer(1_000_000_000)
    const { socket } = await begin(
      server,
      payer.key,
      partsOf({ model }, new Uint8Array(100_000), { isWhole: false }),
      'content-length: 500000',
    )
    await spooledIn(server)
    socket.destroy()
    const line = await server.line(({ path }) => path?.endsWith('/transcriptions') === true)
    expect(line).toMatchObject({ status: 499, isAborted: true })
    expect(payer.money()).toEqual({ balance: 1_000_000_000, held: 0 })
  })

  describe('while its recording is decoded', () => {
    const folder = mkdtempSync(join(tmpdir(), 'inferd-ffmpeg-'))
    beforeAll(() => {
      writeFileSync(join(folder, 'ffmpeg'), '#!/bin/sh\n: > "$0.started"\nexec /bin/sleep 1000\n')
      chmodSync(join(folder, 'ffmpeg'), 0o700)
    })
    afterAll(() => rmSync(folder, { recursive: true }))

    test('leaves nothing', async () => {
      const server = serve({ audio: { programPath: folder } })
      const payer = server.payer(1_000_000_000)
      const { socket } = await begin(server, payer.key, partsOf({ model }, foreignRecording()))
      while (!existsSync(join(folder, 'ffmpeg.started'))) await fetch(`${server.url}/health`)
      expect(server.spooled()).toHaveLength(2)
      socket.destroy()
      const line = await server.line(({ path }) => path?.endsWith('/transcriptions') === true)
      expect(line).toMatchObject({ status: 499, isAborted: true })
      expect(payer.money()).toEqual({ balance: 1_000_000_000, held: 0 })
    })
  })

  test.each(['false', 'true'])('while the model works, pays for what it did (stream: %s)', async (stream) => {
    const server = serve()
    const payer = server.payer(1_000_000_000)
    const prompt = script(segment, { waitForCancel: true }, segment)
    const { socket } = await begin(server, payer.key, partsOf({ model, prompt, stream }, recording(60)))
    // Wait for three steps: the preparation, the start and a segment.
    while (((await server.pool.stats(model))?.steps ?? 0) < 3) await fetch(`${server.url}/health`)
    socket.destroy()
    const { requestId } = await server.line(({ path }) => path?.endsWith('/transcriptions') === true)
    expect(server.stores.usage.find(requestId)).toMatchObject({
      finish: 'client_disconnect',
      used: { audioMs: 30_000 },
    })
    expect(payer.money()).toEqual({ balance: 970_000_000, held: 0 })
  })
})

test('an engine that dies is a 502, and an error in a stream that has begun; nothing is charged', async () => {
  const server = serve()
  const payer = server.payer(1_000_000_000)
  const prompt = script(segment, { crash: 'exit' })
  const whole = await send(server, payer.key, { prompt })
  expect([whole.status, JSON.parse(whole.text).error.code]).toEqual([502, 'engine_failed'])
  const streamed = await send(server, payer.key, { prompt, stream: 'true' })
  expect(streamed.status).toBe(200)
  expect(streamed.text).toContain('"delta":"heard"')
  expect(streamed.text).toContain('"code":"engine_failed"')
  expect(streamed.text).not.toContain('[DONE]')
  expect(payer.money()).toEqual({ balance: 1_000_000_000, held: 0 })
})

test('a recording is heard again by the next engine, whole or streamed, with both models of its speakers', async () => {
  const server = serve()
  using paths = new NewPaths()
  const payer = server.payer(1_000_000_000)
  const dying = () => ({ crash: 'abort', once: paths.next() })
  const whole = await send(server, payer.key, { prompt: script(segment, dying(), segment), diarize: 'true' })
  expect([whole.status, JSON.parse(whole.text).text]).toEqual([200, 'heard heard'])
  const streamed = await send(server, payer.key, { prompt: script(dying(), segment), stream: 'true' })
  expect([streamed.status, streamed.text.match(/"delta":"heard"/g)?.length]).toEqual([200, 1])
  expect(payer.money()).toEqual({ balance: 998_000_000, held: 0 })
})

describe('an upload that is too large', () => {
  const content = new Uint8Array(2_000_000)

  test('is refused by its length', async () => {
    const server = serve({ spool: { fileLimitBytes: 500_000 } })
    const { socket, until } = await begin(server, server.keys.valid, new Uint8Array(), 'content-length: 2000000')
    expect(await until('payload_too_large')).toStartWith('HTTP/1.1 413 ')
    socket.destroy()
  })

  test('is refused while it arrives where it tells no length', async () => {
    const server = serve({ spool: { fileLimitBytes: 500_000 } })
    const body = partsOf({ model }, content, { isWhole: false })
    const chunk = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body])
    const { until } = await begin(server, server.keys.valid, chunk, 'transfer-encoding: chunked')
    expect(await until('payload_too_large')).toStartWith('HTTP/1.1 413 ')
  })
})

test.each<[string, Partial<NonNullable<TestServerOptions['spool']>>, string]>([
  ['the spool is full', { limitBytes: 20_000 }, 'overloaded'],
  ['the account has its share', { accountLimitBytes: 20_000 }, 'overloaded'],
  ['what is decoded does not fit', { limitBytes: 40_000 }, 'overloaded'],
  ['the disk is gone', { folder: '/nowhere/at/all' }, 'storage_unavailable'],
])('where %s the answer is a 503', async (_, spool, code) => {
  const server = serve({ spool })
  const { status, text } = await send(server, server.keys.valid, {})
  expect([status, JSON.parse(text).error.code]).toEqual([503, code])
})

test.each<[string, Record<string, string>, string]>([
  [
    'speakers from a model that labels none',
    { model: 'test/deaf-to-voices', diarize: 'true' },
    'diarization_unsupported',
  ],
  [
    'speakers from a model that labels none, and is not here',
    { model: 'test/elsewhere', diarize: 'true' },
    'diarization_unsupported',
  ],
  ['a model that is not here', { model: 'test/elsewhere' }, 'model_not_found'],
  ['an unknown model', { model: 'test/nobody' }, 'model_not_found'],
  ['a model that chats', { model: 'fake' }, 'model_type_mismatch'],
  ['a wrong field', { model, response_format: 'xml' }, 'invalid_value'],
])('%s: refused before the recording arrives', async (_, fields, code) => {
  const server = serve()
  const { socket, until } = await begin(
    server,
    server.keys.valid,
    partsOf(fields, new Uint8Array(100), { isWhole: false }),
    'content-length: 90000000',
  )
  await until(code)
  socket.destroy()
})

test('a slow client is refused', async () => {
  const server = serve({ config: { bodyTimeoutMs: 30 } })
  const body = partsOf({ model }, new Uint8Array(10), { isWhole: false })
  const { until, socket } = await begin(server, server.keys.valid, body, 'content-length: 90000000')
  expect(await until('request_timeout')).toStartWith('HTTP/1.1 408 ')
  socket.destroy()
})
