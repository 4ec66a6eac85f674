/** Rare, damaged, too large or too many pictures get an answer or a clear refusal, and leave nothing behind. */
import { afterEach, describe, expect, test } from 'bun:test'
import { pictureFixtures } from '../testing/picture-fixtures.ts'
import { chunk, paint, toDataUrl, toPng } from '../testing/pictures.ts'
import { openRaw } from '../testing/raw-connection.ts'
import { startTestServer, type TestServer, type TestServerOptions } from '../testing/test-server.ts'

const path = '/v1/chat/completions'
const models = {
  'test/sees': { manifest: { type: 'vision' } },
  'test/elsewhere': { manifest: { type: 'vision' }, status: { kind: 'available' } },
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

type Script = readonly object[]
const describing: Script = [{ describePictures: true }]

function bodyOf(urls: readonly string[], { model = 'test/sees', script = describing, stream = false } = {}) {
  const pictures = urls.map((url) => ({ type: 'image_url', image_url: { url } }))
  const content = [{ type: 'text', text: JSON.stringify({ script }) }, ...pictures]
  return { model, stream, messages: [{ role: 'user', content }] }
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly code: string | undefined
  readonly param: string | undefined
  readonly message: string | undefined
}

async function send(server: TestServer, body: object, key?: string): Promise<Answer> {
  const response = await server.post(path, body, key === undefined ? {} : { authorization: `Bearer ${key}` })
  const answer = (await response.json()) as {
    choices?: { message: { content: string } }[]
    error?: { code: string; param: string; message: string }
  }
  const { code, param, message } = answer.error ?? {}
  return { status: response.status, text: answer.choices?.[0]?.message.content ?? '', code, param, message }
}

const pixel = toPng(paint(1, 1, () => [1, 2, 3]))

/** Returns a PNG whose header claims this size. */
function claiming(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([pixel.subarray(0, 8), chunk('IHDR', header), pixel.subarray(33)])
}

function withWrongSum(): Buffer {
  const bytes = Buffer.from(pixel)
  bytes[29] = (bytes[29] ?? 0) ^ 0xff // of the header's checksum
  return bytes
}

test('pictures of all formats reach the engine, and it knows how they stand upright', async () => {
  const server = serve()
  const fixtures = pictureFixtures()
  const urls = [...fixtures.map(({ bytes }) => toDataUrl(bytes)), toDataUrl(pixel), toDataUrl(withWrongSum())]
  const { status, text, message } = await send(server, bodyOf(urls))
  const sizes = [...fixtures.map(() => '48x32'), '1x1', '1x1']
  expect({ status, message, sizes: text.match(/\d+x\d+/g) as string[] | null }).toEqual({
    status: 200,
    message: undefined,
    sizes,
  })
})

const place = 'messages[0].content[2]'

describe('refused, naming the picture', () => {
  const cut =
    pictureFixtures()
      .find(({ name }) => name === 'rgb.jpg')
      ?.bytes.subarray(0, 100) ?? Buffer.alloc(0)

  test.each([
    ['huge sides in a header alone', toDataUrl(claiming(20_000, 20_000)), 'invalid_image', '20000 x 20000 pixels'],
    ['many pixels in a header alone', toDataUrl(claiming(16_000, 16_000)), 'invalid_image', 'at most 40 million'],
    ['a file that is cut short', toDataUrl(cut), 'invalid_image', 'JPEG header is cut short'],
    ['wrong base64', 'data:image/png;base64,AAAA*', 'invalid_image', 'base64 is damaged'],
    ['no picture', toDataUrl(Buffer.from('<html></html>'), 'text/html'), 'invalid_image', 'format HTML'],
    ['SVG', toDataUrl(Buffer.from('<svg/>'), 'image/svg+xml'), 'invalid_image', 'format SVG'],
    ['nothing', 'data:image/png;base64,', 'invalid_image', 'it is empty'],
    ['an address', 'https://pictures.example/a.png', 'invalid_image_url', 'image-urls'],
    ['an address of the machine', 'http://127.0.0.1/', 'invalid_image_url', 'image-urls'],
    ['a file of the machine', 'file:///etc/passwd', 'invalid_image_url', 'begins neither'],
  ])('%s', async (_name, url, code, words) => {
    const own = serve()
    const answer = await send(own, bodyOf([toDataUrl(pixel), url]))
    expect(answer).toMatchObject({ status: 400, code, param: place })
    expect(answer.message).toContain(words)
  })
})

test('a request may have a hundred pictures, and no more', async () => {
  const server = serve()
  const urls = Array<string>(100).fill(toDataUrl(pixel))
  expect((await send(server, bodyOf(urls))).text.match(/1x1/g)).toHaveLength(100)
  expect(await send(server, bodyOf([...urls, toDataUrl(pixel)]))).toMatchObject({
    status: 400,
    code: 'too_many_images',
    param: 'messages[0].content[101]',
  })
})

test('a picture that is too large a file is refused, and a body beyond the limit is', async () => {
  const server = serve({ images: { bytes: 100_000 }, config: { bodyLimitBytes: 1_000_000 } })
  const padded = (bytes: number) => toDataUrl(Buffer.concat([pixel, Buffer.alloc(bytes)]))
  expect(await send(server, bodyOf([toDataUrl(pixel), padded(100_000)]))).toMatchObject({
    status: 413,
    code: 'payload_too_large',
    param: place,
  })
  expect(await send(server, bodyOf([padded(2_000_000)]))).toMatchObject({ status: 413, code: 'payload_too_large' })
})

test('the model is looked at before its pictures', async () => {
  const server = serve()
  expect(await send(server, bodyOf(['x'], { model: 'test/unknown' }))).toMatchObject({ code: 'model_not_found' })
  expect(await send(server, bodyOf(['x'], { model: 'test/elsewhere' }))).toMatchObject({ code: 'model_not_found' })
  const answer = await send(server, bodyOf(['x'], { model: 'fake' }))
  expect(answer).toMatchObject({ status: 400, code: 'unsupported_content', param: 'messages[0].content[1]' })
  expect(answer.message).toContain('choose a model of type vision: GET /models lists them')
})

test('pictures beyond the share of an account are refused, and its files are gone afterwards', async () => {
  const server = serve({ spool: { accountFiles: 2 } })
  const urls = Array<string>(3).fill(toDataUrl(pixel))
  expect(await send(server, bodyOf(urls))).toMatchObject({ status: 503, code: 'overloaded' })
  expect(await send(server, bodyOf(urls.slice(1)))).toMatchObject({ status: 200 })
})

test('files last as long as the engine works, and go when it fails', async () => {
  const server = serve()
  for (const script of [[{ crash: 'exit' }], [{ error: { kind: 'engine', code: 'engine_failed', message: 'no' } }]]) {
    expect((await send(server, bodyOf([toDataUrl(pixel)], { script }))).status).toBe(502)
    await server.drained()
    expect(server.spooled()).toEqual([])
  }
})

test('a client that leaves takes its pictures with it', async () => {
  const server = serve()
  const script = [{ text: 'Hi' }, { waitForCancel: true }]
  const body = JSON.stringify(bodyOf([toDataUrl(pixel)], { script, stream: true }))
  const connection = await openRaw(server.url)
  connection.socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.keys.valid}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  await connection.until('Hi')
  expect(server.spooled()).toHaveLength(1)
  connection.socket.destroy()
  await server.drained()
  expect(server.spooled()).toEqual([])
})

test('nothing is held for a request whose picture is refused', async () => {
  const server = serve()
  const payer = server.payer(1_000_000_000)
  expect(await send(server, bodyOf(['data:,']), payer.key)).toMatchObject({ status: 400, code: 'invalid_image' })
  expect(payer.money()).toEqual({ balance: 1_000_000_000, held: 0 })
})

test('where the operator allows it, pictures are fetched, and redirects to other networks are not followed', async () => {
  using elsewhere = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) =>
      url.endsWith('.png')
        ? new Response(pixel)
        : new Response(null, { status: 302, headers: { location: 'http://[::1]/' } }),
  })
  const imageUrls = {
    isAllowed: true,
    addressesOf: async () => ['127.0.0.1'],
    isPublic: (address: string) => address === '127.0.0.1',
  }
  const server = serve({ imageUrls })
  const at = (name: string) => `http://pictures.example:${elsewhere.port}/${name}`
  expect(await send(server, bodyOf([at('a.png'), toDataUrl(pixel), at('b.png')]))).toMatchObject({ status: 200 })
  expect(await send(server, bodyOf([at('a.png'), at('redirect')]))).toMatchObject({
    status: 400,
    code: 'invalid_image_url',
    param: place,
  })
})

test('tokens are counted of sizes alone', async () => {
  const server = serve({ spool: { accountFiles: 0 } })
  const source = { type: 'base64', media_type: 'image/png', data: pixel.toString('base64') }
  const body = { model: 'test/sees', messages: [{ role: 'user', content: [{ type: 'image', source }] }] }
  const response = await server.post('/v1/messages/count_tokens', body)
  expect(response.status).toBe(200)
})
