import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRawServer } from '../../../testing/upstream/raw-server.ts'
import { postForBytes } from './post-for-bytes.ts'
import { defaultLimits, type UpstreamFile, UpstreamForm } from './request.ts'
import { requestJson } from './request-json.ts'

const fields = [
  ['model', 'whisper "é"'],
  ['language', ''],
] as const
const file = (bytes: number, content: AsyncIterable<Uint8Array>): UpstreamFile => ({
  ...{ field: 'file', name: 'a "b"\r\n.wav', type: 'audio/wav', bytes, content },
})

async function send(url: string, form: UpstreamForm, signal = new AbortController().signal): Promise<unknown> {
  return await requestJson({ method: 'POST', url, body: form, signal, limits: defaultLimits }, 1000)
}

test('a form arrives as a form, its file piece by piece', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'inferd-form-'))
  const path = join(folder, 'a.wav')
  const content = crypto.getRandomValues(new Uint8Array(60_000))
  await Bun.write(path, content)
  using server = Bun.serve({
    port: 0,
    fetch: async (request) => {
      const form = await request.formData()
      const sent = form.get('file')
      if (!(sent instanceof Blob)) return new Response('no file', { status: 400 })
      const isEqual = Buffer.from(await sent.arrayBuffer()).equals(content)
      const names = [...form].map(([name, value]) => [name, typeof value === 'string' ? value : value.name])
      return Response.json({ names, isEqual, length: request.headers.get('content-length') })
    },
  })
  const form = new UpstreamForm(fields, file(content.length, Bun.file(path).stream()))
  const answer = await send(server.url.href, form)
  expect(answer).toEqual({
    names: [...fields, ['file', 'a %22b%22%0D%0A.wav']],
    isEqual: true,
    length: expect.any(String),
  })
  await rm(folder, { recursive: true })
})

async function* pieces(count: number, onEnd: () => void = () => undefined): AsyncGenerator<Uint8Array> {
  try {
    for (let index = 0; index < count; index++) yield new Uint8Array(10_000)
  } finally {
    onEnd()
  }
}

test.each([
  ['shorter', 2],
  ['longer', 4],
])('a file that is %s than it was said to be ends the request', async (_name, count) => {
  await using server = await startRawServer(() => undefined)
  await expect(send(server.url, new UpstreamForm([], file(30_000, pieces(count))))).rejects.toThrow(
    'the file to send does not have 30000 bytes',
  )
})

test('a server that does not read holds the file back, and reading it ends with the request', async () => {
  using server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { open: (socket) => socket.pause(), data() {} } })
  const ended = Promise.withResolvers<void>()
  let read = 0
  async function* counted() {
    for await (const piece of pieces(100_000, ended.resolve)) {
      read += piece.length
      yield piece
    }
  }
  const controller = new AbortController()
  const form = new UpstreamForm([], file(1_000_000_000, counted()))
  const sent = send(`http://127.0.0.1:${server.port}/`, form, controller.signal)
  let before = -1
  while (read !== before) {
    before = read
    await Bun.sleep(100)
  }
  expect(read).toBeGreaterThan(0)
  expect(read).toBeLessThan(32 * 1024 * 1024)
  controller.abort(new Error('gone'))
  await expect(sent).rejects.toThrow('gone')
  await ended.promise
})

test('a refusal that comes before the end of the file is heard', async () => {
  using early = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { data: (socket) => void socket.write('HTTP/1.1 413 Too large\r\ncontent-length: 2\r\n\r\nno') },
  })
  const ended = Promise.withResolvers<void>()
  const form = new UpstreamForm([], file(1_000_000_000, pieces(100_000, ended.resolve)))
  await expect(send(`http://127.0.0.1:${early.port}/`, form)).rejects.toMatchObject({ kind: 'status', status: 413 })
  await ended.promise
})

test('bytes come as they are, and a server that stops in between is idle', async () => {
  await using server = await startRawServer((to) => to.say('HTTP/1.1 200 OK\r\ncontent-type: audio/wav\r\n\r\nRIFF'))
  const { signal } = new AbortController()
  const limits = { ...defaultLimits, idleMs: 100 }
  const { headers, pieces: audio } = await postForBytes({ url: server.url, body: {}, signal, limits })
  expect(headers.get('content-type')).toBe('audio/wav')
  expect(Buffer.from((await audio.next()).value ?? []).toString()).toBe('RIFF')
  await expect(audio.next()).rejects.toMatchObject({ kind: 'idle' })
})
