import { describe, expect, test } from 'bun:test'
import { toApiError } from '../../core/errors.ts'
import { openRaw } from '../../testing/raw-connection.ts'
import { type FormBounds, readForm } from './read-form.ts'

const boundary = 'x-boundary'
const type = `multipart/form-data; boundary=${boundary}`

interface Part {
  readonly head: string
  readonly body?: string | Uint8Array
}

const field = (name: string, body: string): Part => ({ head: `Content-Disposition: form-data; name="${name}"`, body })
const file = (body: string | Uint8Array, more = '; filename="a.wav"'): Part => ({
  head: `Content-Disposition: form-data; name="file"${more}`,
  body,
})

function formOf(...parts: readonly Part[]): Buffer {
  const written = parts.flatMap(({ head, body = '' }) => [`--${boundary}\r\n${head}\r\n\r\n`, body, '\r\n'])
  return Buffer.concat([...written, `--${boundary}--\r\n`].map((piece) => Buffer.from(piece)))
}

/** Returns a request whose body comes in pieces of `pieceBytes`. */
function requestOf(body: Uint8Array, { pieceBytes = 65_536, headers = {} } = {}): Request {
  let at = 0
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= body.length) return controller.close()
      controller.enqueue(body.slice(at, at + pieceBytes))
      at += pieceBytes
    },
  })
  return new Request('http://localhost/', {
    method: 'POST',
    body: stream,
    headers: { 'content-type': type, ...headers },
  })
}

async function gathered(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(pieces)).toString('latin1')
}

const bounds: FormBounds<string> = {
  file: 'file',
  limitBytes: 1_000_000,
  timeoutMs: 60_000,
  silenceMs: 60_000,
  receive: gathered,
}

function read(body: Uint8Array, options?: Parameters<typeof requestOf>[1], some: Partial<FormBounds<string>> = {}) {
  return readForm(requestOf(body, options), { ...bounds, ...some })
}

/** Returns `code param` of the error that refuses the form. */
async function refusal(reading: Promise<unknown>): Promise<string> {
  const thrown = await reading.then(
    () => 'read',
    (error: unknown) => toApiError(error),
  )
  return typeof thrown === 'string' ? thrown : `${thrown.kind} ${thrown.code} ${thrown.param ?? ''}`.trim()
}

test('fields and the file are read, wherever the pieces of the body end', async () => {
  // The file's content looks like the end of a part but is none.
  const held = `\r\n--${boundary.slice(0, -1)}\r\n\0\xff--\r\n`
  const form = formOf(
    field('model', 'a'),
    file(Buffer.from(held, 'latin1')),
    field('list[]', 'x'),
    field('list[]', 'ü'),
  )
  for (let pieceBytes = 1; pieceBytes <= form.length; pieceBytes++) {
    const { fields, file: received } = await read(form, { pieceBytes })
    expect(fields).toEqual([
      ['model', 'a'],
      ['list[]', 'x'],
      ['list[]', 'ü'],
    ])
    expect(received).toBe(held)
  }
})

test.each<[string, string]>([
  ['an empty content type', '; filename="a.wav"\r\nContent-Type: '],
  ['a type that says nothing of the content', '; filename="a.wav"\r\nContent-Type: text/plain'],
  ['a name in letters of any script', '; filename="录音 ü.mp3"'],
  ['a name with quotes', '; filename="a \\"b\\".mp3"'],
  ['no name of its own', ''],
  ['a name that is empty', '; filename=""'],
  ['a length and more', '; filename="a"; size=3\r\nContent-Type: audio/wav\r\nContent-Length: 3'],
])('the file may have %s', async (_, more) => {
  expect((await read(formOf(file('abc', more)))).file).toBe('abc')
})

test('what stands before the first part and behind the last one is no part of the form', async () => {
  const form = Buffer.concat([
    Buffer.from('preamble\r\n'),
    formOf(field('a', '1')),
    Buffer.from('epilogue'.repeat(20_000)),
  ])
  expect(await read(form)).toEqual({ fields: [['a', '1']], file: undefined })
})

test('an empty file is a file', async () => {
  expect((await read(formOf(file('')))).file).toBe('')
})

test.each<[string, Buffer, string]>([
  ['no form at all', Buffer.from('{"model": "a"}'), 'invalid_request invalid_form'],
  ['an empty body', Buffer.alloc(0), 'invalid_request invalid_form'],
  ['a form that breaks off', formOf(field('a', '1')).subarray(0, -12), 'invalid_request invalid_form'],
  ['a file that breaks off', formOf(file('abc')).subarray(0, -10), 'invalid_request invalid_form'],
  [
    'a part without a name',
    formOf({ head: 'Content-Disposition: form-data', body: 'a' }),
    'invalid_request invalid_form',
  ],
  ['two files', formOf(file('a'), file('b')), 'invalid_request invalid_value file'],
  [
    'a file of another name',
    formOf({ head: 'Content-Disposition: form-data; name="prompt"; filename="a"', body: 'a' }),
    'invalid_request invalid_value prompt',
  ],
  ['101 fields', formOf(...Array(101).fill(field('a', '1'))), 'invalid_request invalid_form'],
  ['a field beyond its limit', formOf(field('a', 'x'.repeat(65_537))), 'invalid_request invalid_value a'],
  ['a form beyond its limit', formOf(file('x'.repeat(1_000_000))), 'payload_too_large payload_too_large'],
  [
    'a head without end',
    Buffer.concat([Buffer.from(`--${boundary}\r\nx: `), Buffer.alloc(100_000, 'x')]),
    'invalid_request invalid_form',
  ],
])('%s is refused', async (_, body, expected) => {
  expect(await refusal(read(body))).toBe(expected)
  expect(await refusal(read(body, { pieceBytes: 1000 }))).toBe(expected)
})

test.each<[string, Record<string, string>, string]>([
  ['JSON', { 'content-type': 'application/json' }, 'invalid_request invalid_form'],
  ['another kind of form', { 'content-type': 'application/x-www-form-urlencoded' }, 'invalid_request invalid_form'],
  ['a form without a boundary', { 'content-type': 'multipart/form-data; x=y' }, 'invalid_request invalid_form'],
  ['what is compressed', { 'content-encoding': 'gzip' }, 'unsupported_media_type unsupported_media_type'],
  ['what says that it is too large', { 'content-length': '1000001' }, 'payload_too_large payload_too_large'],
])('%s is refused before it is read', async (_, headers, expected) => {
  const request = requestOf(formOf(field('a', '1')), { headers })
  expect(await refusal(readForm(request, bounds))).toBe(expected)
  expect(request.bodyUsed).toBe(false)
})

test.each(['', 'multipart/form-data', 'multipart/form-data; boundary=another'])(
  'a form that comes as %p is refused with advice',
  async (header) => {
    const headers = { 'content-type': header }
    const reading = read(formOf(field('a', '1')), { headers })
    await expect(reading).rejects.toThrow(header === '' ? 'send it as multipart/form-data' : /boundary.*HTTP library/)
  },
)

test('who takes the file sees the fields in front of it and may refuse the rest, which is then not read', async () => {
  let asked = 0
  const start = formOf(field('model', 'a'), file('x')).subarray(0, -18)
  const upload = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(asked++ === 0 ? start : new Uint8Array(1000))
    },
  })
  const request = new Request('http://localhost/', { method: 'POST', body: upload, headers: { 'content-type': type } })
  const receive: FormBounds<never>['receive'] = (_, fields) => Promise.reject(new Error(JSON.stringify(fields)))
  await expect(readForm(request, { ...bounds, receive })).rejects.toThrow('[["model","a"]]')
  expect(asked).toBeLessThan(5)
})

test('no more of the form is read than who takes the file has taken', async () => {
  let asked = 0
  const start = formOf(file('x')).subarray(0, -18)
  const upload = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(asked++ === 0 ? start : new Uint8Array(65_536))
    },
  })
  const request = new Request('http://localhost/', { method: 'POST', body: upload, headers: { 'content-type': type } })
  const receive: FormBounds<never>['receive'] = async (pieces) => {
    for await (const _ of pieces) if (asked > 20) throw new Error(`taken after ${asked}`)
    throw new Error('ended')
  }
  const held = Promise.withResolvers<void>()
  const slow: FormBounds<never>['receive'] = async (pieces, fields) => {
    await held.promise
    return await receive(pieces, fields)
  }
  const reading = readForm(request, { ...bounds, limitBytes: 1e9, receive: slow })
  for (let turns = 0; turns < 100; turns++) await new Promise(setImmediate)
  expect(asked).toBeLessThan(8)
  held.resolve()
  await expect(reading).rejects.toThrow(/taken after/)
})

test('silence is measured from the last byte', async () => {
  const form = formOf(file('abcdefgh'))
  let at = 0
  const upload = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (at >= form.length) return controller.close()
      await Bun.sleep(50)
      controller.enqueue(form.subarray(at, at + 20))
      at += 20
    },
  })
  const request = new Request('http://localhost/', { method: 'POST', body: upload, headers: { 'content-type': type } })
  expect((await readForm(request, { ...bounds, silenceMs: 200 })).file).toBe('abcdefgh')
})

describe('over a socket', () => {
  const outcomes: PromiseWithResolvers<string>[] = []
  const begun: PromiseWithResolvers<void>[] = []

  function serve(some: Partial<FormBounds<string>>) {
    const [outcome, start] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()]
    outcomes.push(outcome)
    begun.push(start)
    let received = 'nothing'
    const receive: FormBounds<string>['receive'] = async (pieces) => {
      start.resolve()
      await gathered(pieces).catch(() => {
        received = 'broken off'
      })
      return ''
    }
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async (request) => {
        outcome.resolve(`${await refusal(readForm(request, { ...bounds, receive, ...some }))}, ${received}`)
        return new Response()
      },
    })
    return { server, outcome: outcome.promise, begun: start.promise }
  }

  const head = `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: 90000\r\n\r\n`

  test('a client that disconnects ends the reading, and the file with it', async () => {
    const { server, outcome, begun } = serve({})
    const { socket } = await openRaw(server.url.href)
    socket.write(head + formOf(file('abc')).toString().slice(0, -18))
    await begun
    socket.destroy()
    expect(await outcome).toContain('broken off')
    await server.stop(true)
  })

  test.each<[string, Partial<FormBounds<string>>]>([
    ['too long', { timeoutMs: 20 }],
    ['nothing for too long', { silenceMs: 20 }],
  ])('a client that sends %s is refused', async (_, some) => {
    const { server, outcome } = serve(some)
    const { socket } = await openRaw(server.url.href)
    socket.write(head + formOf(file('abc')).toString().slice(0, -18))
    expect(await outcome).toBe('request_timeout request_timeout, broken off')
    socket.destroy()
    await server.stop(true)
  })
})
