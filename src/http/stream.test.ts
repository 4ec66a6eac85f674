import { afterAll, expect, test } from 'bun:test'
import type { RequestRecord } from '../core/request-record.ts'
import { openRaw } from '../testing/raw-connection.ts'
import { startTestServer, type TestServer } from '../testing/test-server.ts'
import { until } from '../testing/until.ts'

const server = startTestServer({ parallel: 8, config: { keepAliveMs: 20 }, engine: { contextTokens: 65_536 } })
afterAll(() => server[Symbol.asyncDispose]())

const chat = '/v1/chat/completions'
const pricing = { inputNanoUsd: 10_000_000, outputNanoUsd: 30_000_000, unit: '1M_tokens' } as const
/** Comment that begins a stream and later shows that the connection lives */
const comment = ': keep-alive\n\n'

function scripted(...actions: unknown[]) {
  const content = JSON.stringify({ script: actions })
  return { model: 'fake', stream: true, messages: [{ role: 'user', content }] }
}

/** Sends a streaming request on a new connection. */
async function openStream(target: TestServer, body: unknown, key = target.keys.valid) {
  const connection = await openRaw(target.url)
  const text = JSON.stringify(body)
  connection.socket.write(
    `POST ${chat} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
  return connection
}

/** Returns the number of requests that the engine itself says it runs. */
async function runningNow(target: TestServer): Promise<number | undefined> {
  return (await target.pool.stats('test/fake'))?.running
}

test('headers come while the engine still works on the prompt, and comments until there is more', async () => {
  const stream = await openStream(server, scripted({ waitForCancel: true }))
  const text = await stream.until(comment)
  expect(text).toStartWith('HTTP/1.1 200 ')
  expect(text).not.toContain('data:')
  await stream.until(comment)
  stream.socket.destroy()
})

test('a client that goes away frees its place in the engine', async () => {
  const stream = await openStream(server, scripted({ text: 'a' }, { waitForCancel: true }))
  await stream.until('"content":"a"')
  expect(await runningNow(server)).toBe(1)
  const seen = server.lines.length
  stream.socket.destroy()
  const line = await server.line((candidate) => server.lines.indexOf(candidate) >= seen)
  expect(line).toMatchObject({ status: 200, isStream: true, isAborted: true, code: undefined })
  expect(await runningNow(server)).toBe(0)
})

test('a client that closes only its sending side is taken as gone', async () => {
  const stream = await openStream(server, scripted({ text: 'a' }, { waitForCancel: true }))
  await stream.until('"content":"a"')
  const seen = server.lines.length
  stream.socket.end()
  expect(await server.line((line) => server.lines.indexOf(line) >= seen)).toMatchObject({ isAborted: true })
  expect(await runningNow(server)).toBe(0)
  stream.socket.destroy()
})

test('a client that goes away from a whole answer frees its place too', async () => {
  const seen = server.lines.length
  const abort = new AbortController()
  const body = JSON.stringify({ ...scripted({ waitForCancel: true }), stream: false })
  const answer = fetch(server.url + chat, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.keys.valid}`, 'content-type': 'application/json' },
    body,
    signal: abort.signal,
  }).catch((error: Error) => error.name)
  // Requests are read in order: once another one has ended, the first has been read.
  while ((await runningNow(server)) === 0) await server.post(chat, scripted({ text: 'b' }))
  abort.abort()
  expect(await answer).toBe('AbortError')
  const line = await server.line((candidate) => server.lines.indexOf(candidate) >= seen && candidate.isAborted === true)
  expect(line).toMatchObject({ status: 499, isStream: false })
  expect(await runningNow(server)).toBe(0)
})

test('no place is lost, whatever the moment at which a client leaves', async () => {
  for (let round = 0; round < 40; round++) {
    const stream = await openStream(server, scripted({ text: 'a' }, { waitForCancel: true }))
    // The client leaves at once, after the head, or after the first text, and up to six turns later.
    const sign = [undefined, 'HTTP/1.1 200', '"content":"a"'][round % 3]
    if (sign !== undefined) await stream.until(sign)
    for (let turn = 0; turn < round % 7; turn++) await new Promise((resolve) => setImmediate(resolve))
    stream.socket.destroy()
  }
  await (await server.post(chat, scripted({ text: 'after' }))).text()
  await until(
    'no request is running',
    () => runningNow(server),
    (count) => count === 0,
  )
  expect(server.pool.status()[0]).toMatchObject({ running: 0, waiting: 0 })
})

test('an error in the middle is a frame with the error body, and nothing comes after it', async () => {
  const error = { kind: 'engine', code: 'engine_failed', message: 'The engine stopped.' }
  const answer = await server.post(chat, scripted({ text: 'Hal' }, { error }))
  const requestId = answer.headers.get('x-request-id')
  expect(answer.status).toBe(200)
  const frames = (await answer.text()).split('\n\n').filter((frame) => frame !== '' && !frame.startsWith(':'))
  expect(frames.at(-2)).toContain('"content":"Hal"')
  expect(JSON.parse(frames.at(-1)?.slice('data: '.length) ?? '')).toEqual({
    error: {
      message: 'The engine stopped.',
      type: 'server_error',
      param: null,
      code: 'engine_failed',
      docs_url: `${server.url}/docs/errors#engine_failed`,
    },
  })
  expect(frames).not.toContain('data: [DONE]')
  expect(await server.line((line) => line.requestId === requestId)).toMatchObject({
    status: 200,
    code: 'engine_failed',
    cause: expect.any(Error),
    isAborted: false,
  })
})

test('an engine killed under four streams ends each with an error frame, and the next request works', async () => {
  const streams = await Promise.all(
    Array.from({ length: 4 }, () => openStream(server, scripted({ text: 'begun' }, { waitForCancel: true }))),
  )
  await Promise.all(streams.map((stream) => stream.until('"content":"begun"')))
  const pid = server.pool.status()[0]?.pid
  if (pid === undefined) throw new Error('the engine does not run')
  process.kill(pid, 'SIGKILL')
  for (const stream of streams) {
    const text = await stream.until('"code":"engine_failed"')
    expect(text).not.toContain('[DONE]')
    stream.socket.destroy()
  }
  const next = await server.post(chat, { model: 'fake', messages: [{ role: 'user', content: 'again' }] })
  expect(next.status).toBe(200)
  expect(server.pool.status()[0]?.pid).not.toBe(pid)
})

test('a reader that stops reading holds up its own stream only, and gets all of it when it reads on', async () => {
  const piece = 'x'.repeat(100_000)
  const stream = await openStream(server, scripted(...Array.from({ length: 150 }, () => ({ text: piece }))))
  await stream.until(comment)
  stream.socket.pause()
  const before = server.lines.length
  // A second stream runs to its end meanwhile, so the stalled one blocks nobody.
  expect(await (await server.post(chat, scripted({ text: 'quick' }))).text()).toContain('[DONE]')
  expect(server.lines.slice(before)).toHaveLength(1)
  stream.socket.resume()
  const text = await stream.until('data: [DONE]\n\n')
  expect(text.length).toBeGreaterThan(150 * 100_000)
  stream.socket.destroy()
})

test('a reader that stalls and then leaves is let go', async () => {
  const stream = await openStream(
    server,
    scripted(...Array.from({ length: 150 }, () => ({ text: 'x'.repeat(100_000) }))),
  )
  await stream.until(comment)
  stream.socket.pause()
  const seen = server.lines.length
  // The output of this stream fills its socket before another stream ends.
  await (await server.post(chat, scripted({ text: 'quick' }))).text()
  stream.socket.destroy()
  const isItsLine = (line: RequestRecord) => server.lines.indexOf(line) >= seen && line.isAborted === true
  expect(await server.line(isItsLine)).toMatchObject({ status: 200, isStream: true })
})

test('a reader that stalls for good is cut off, and pays for what was computed', async () => {
  await using strict = startTestServer({
    config: { idleTimeoutSeconds: 1, keepAliveMs: 20 },
    engine: { contextTokens: 65_536 },
    models: { 'test/fake': { manifest: { aliases: [{ id: 'fake' }], pricing } } },
  })
  const payer = strict.payer(1_000_000_000)
  const pieces = Array.from({ length: 150 }, () => ({ text: 'x'.repeat(100_000) }))
  const stream = await openStream(strict, scripted(...pieces), payer.key)
  await stream.until(comment)
  stream.socket.pause()
  const line = await strict.line(({ isAborted }) => isAborted === true)
  const usage = strict.stores.usage.find(line.requestId)
  // The engine had finished, and was paid, before the client was given up.
  expect(usage).toMatchObject({ finish: 'stop', used: { completionTokens: 150 } })
  expect(payer.money()).toEqual({ balance: 1_000_000_000 - (usage?.chargedNanoUsd ?? 0), held: 0 })
  expect(usage?.chargedNanoUsd).toBeGreaterThan(150 * 30)
  stream.socket.destroy()
}, 60_000)

test('the comments stop with the stream', async () => {
  const answer = await server.post(chat, scripted({ text: 'a' }, { delayMs: 500 }, { text: 'b' }))
  const text = await answer.text()
  expect(text.lastIndexOf(comment)).toBeGreaterThan(text.indexOf('"content":"a"'))
  expect(text.lastIndexOf(comment)).toBeLessThan(text.indexOf('"content":"b"'))
  expect(text).toEndWith('data: [DONE]\n\n')
})

test('two choices of a stream come with one count of tokens for both', async () => {
  const body = { ...scripted({ text: 'a' }, { text: '🙂' }), n: 2, stream_options: { include_usage: true } }
  const text = await (await server.post(chat, body)).text()
  const frames = text.split('\n\n').filter((frame) => frame.startsWith('data: {'))
  const chunks = frames.map((frame) => JSON.parse(frame.slice('data: '.length)))
  for (const index of [0, 1]) {
    const mine = chunks.flatMap((chunk) => chunk.choices.filter((choice: { index: number }) => choice.index === index))
    expect(mine.map((choice) => choice.delta.content ?? '').join('')).toBe('a🙂')
    expect(mine[0].delta.role).toBe('assistant')
    expect(mine.at(-1).finish_reason).toBe('stop')
  }
  expect(chunks.map((chunk) => chunk.usage?.completion_tokens).filter((count) => count !== undefined)).toEqual([4])
  expect(chunks.at(-1).choices).toEqual([])
})

test('a connection may be silent while a model works for it, and is closed when it idles afterwards', async () => {
  await using impatient = startTestServer({ config: { idleTimeoutSeconds: 1, keepAliveMs: 60_000 } })
  const silent = scripted({ waitForCancel: true })
  const streamed = await openStream(impatient, silent)
  await streamed.until(comment)
  await openStream(impatient, { ...silent, stream: false })
  await until(
    'two requests are running',
    () => runningNow(impatient),
    (count) => count === 2,
  )
  const served = await openStream(impatient, { ...scripted({ text: 'a' }), stream: false })
  expect(await served.closed()).toContain('"content":"a"')
  expect(await runningNow(impatient)).toBe(2)
}, 60_000)
