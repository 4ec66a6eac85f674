/** Tests with real servers on this machine. A test rule makes 127.0.0.1 the only address of the public Internet. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { toApiError } from '../../core/errors.ts'
import { type RawReply, type RawRequest, startRawServer } from '../../testing/fake-hub/raw-http.ts'
import { testImageLimits } from '../../testing/image-limits.ts'
import { certificate, privateKey } from '../../testing/own-certificate.ts'
import { paint, toPng } from '../../testing/pictures.ts'
import { ImageFetcher, type ImageFetcherOptions } from './image-fetcher.ts'

const picture = toPng(paint(3, 2, () => [10, 20, 30]))
const whole: RawReply = { status: 200, headers: { 'content-length': String(picture.length) }, body: picture }

let requests: RawRequest[] = []
let reply: (request: RawRequest) => RawReply | Promise<RawReply> = () => whole
const server = await startRawServer(async (request) => {
  requests.push(request)
  return await reply(request)
})
const { port } = new URL(server.origin)

let internalRequests = 0
const internal = Bun.serve({
  port: 0,
  hostname: '127.0.0.2',
  fetch: () => {
    internalRequests++
    return new Response(picture)
  },
})
const internalUrl = `http://127.0.0.2:${internal.port}/`

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await internal.stop(true)
})

beforeEach(() => {
  requests = []
  internalRequests = 0
  reply = () => whole
})

/** Addresses by name. All other names are unknown. */
const names: Readonly<Record<string, readonly string[]>> = {
  'pictures.example': ['127.0.0.1'],
  'other.example': ['127.0.0.1'],
  localhost: ['127.0.0.1'],
  'internal.example': ['127.0.0.2'],
  'both.example': ['127.0.0.1', '127.0.0.2'],
  'nothing.example': [],
}
let lookups: string[] = []

function fetcher(options: Partial<ImageFetcherOptions> = {}): ImageFetcher {
  lookups = []
  return new ImageFetcher({
    isAllowed: true,
    userAgent: 'inferd/test',
    isPublic: (address) => address === '127.0.0.1',
    addressesOf: async (name) => {
      lookups.push(name)
      const found = names[name]
      if (found === undefined) throw new Error(`getaddrinfo ENOTFOUND ${name}`)
      return found
    },
    limitsMs: { head: 2_000, file: 2_000 },
    ...options,
  })
}

interface Wanted extends Partial<ImageFetcherOptions> {
  readonly bytes?: number
  readonly signal?: AbortSignal
}

async function fetchFrom(url: string, { bytes, signal = new AbortController().signal, ...options }: Wanted = {}) {
  const limits = { ...testImageLimits, ...(bytes !== undefined && { bytes }) }
  using image = await fetcher(options).fetch({ url, param: 'p', limits, accountId: 'a', signal })
  return image
}

async function refusal(url: string, options: Wanted = {}) {
  const { kind, code, param, message } = toApiError(
    await fetchFrom(url, options).then(Object, (error: unknown) => error),
  )
  return { kind, code, param, message }
}

const address = (name = 'pictures.example') => `http://${name}:${port}/a.png?b=c`
const gone =
  "'p': nothing answers at its address on the public Internet. Send the picture itself: data:image/png;base64,…"

function redirect(location: string): RawReply {
  return { status: 302, headers: { location, 'content-length': '0', 'set-cookie': 'a=b' }, body: new Uint8Array() }
}

test('a picture comes whole, by a name that is looked up once, without anything that tells of the client', async () => {
  const image = await fetchFrom(address())
  expect(picture.equals(image.bytes)).toBe(true)
  expect(image.hash).toBe(new Bun.CryptoHasher('sha256').update(picture).digest('hex'))
  expect(image.header).toMatchObject({ format: 'PNG', width: 3, height: 2 })
  expect(lookups).toEqual(['pictures.example'])
  const [request] = requests
  expect(request?.url.pathname).toBe('/a.png')
  expect(Object.fromEntries(request?.headers ?? [])).toEqual({
    host: `pictures.example:${port}`,
    'user-agent': 'inferd/test',
    accept: 'image/*',
    'accept-encoding': 'identity',
    connection: 'close',
  })
})

test('the address that was checked is the one that is asked, whatever the name says later', async () => {
  const changing = ['127.0.0.1', '127.0.0.2']
  const addressesOf = async () => [changing.shift() ?? '127.0.0.2']
  await fetchFrom(address(), { addressesOf })
  expect(changing).toEqual(['127.0.0.2'])
  // The look-up after a redirect is checked too.
  changing.unshift('127.0.0.1')
  reply = () => redirect('/elsewhere')
  expect(await refusal(address(), { addressesOf })).toMatchObject({ code: 'invalid_image_url', message: gone })
  expect(internalRequests).toBe(0)
})

test('redirects are followed three times, without the cookies that they set', async () => {
  reply = ({ url }) => (url.pathname === '/3' ? whole : redirect(`/${Number(url.pathname.slice(1)) + 1 || 1}`))
  await fetchFrom(address())
  expect(requests.map(({ url }) => url.pathname)).toEqual(['/a.png', '/1', '/2', '/3'])
  expect(requests.map(({ headers }) => headers.get('cookie'))).toEqual([null, null, null, null])
  reply = ({ url }) => redirect(`${url.pathname}x`)
  requests = []
  expect((await refusal(address())).message).toContain('redirects more than 3 times')
  expect(requests).toHaveLength(4)
})

test.each([
  ['of another network', () => internalUrl, gone],
  ['whose name leads there', () => `http://internal.example:${internal.port}/`, gone],
  ['of which one address is internal', () => `http://both.example:${port}/`, gone],
  ['in decimal', () => `http://2130706434:${internal.port}/`, gone],
  ['in octal', () => `http://0177.0.0.2:${internal.port}/`, gone],
  ['in hexadecimal', () => `http://0x7f000002:${internal.port}/`, gone],
  ['of IPv6 that stands for IPv4', () => `http://[::ffff:127.0.0.2]:${internal.port}/`, gone],
  ['that nobody knows', () => 'http://unknown.example/', gone],
  ['without addresses', () => 'http://nothing.example/', gone],
  ['where nothing listens', () => 'http://pictures.example:1/', gone],
  ['with a zone', () => 'http://[fe80::1%25eth0]/', 'is not a URL'],
  ['with a password', () => `http://a:b@pictures.example:${port}/`, 'holds a name or a password'],
  ['of a file', () => 'file:///etc/passwd', 'begins neither'],
  ['of another protocol', () => `gopher://pictures.example:${port}/`, 'begins neither'],
  ['that is too long', () => `http://pictures.example:${port}/${'a'.repeat(9000)}`, 'more than 8192 characters'],
])('an address %s is refused, also after a redirect, and is not asked', async (_name, url, problem) => {
  const direct = await refusal(url())
  expect(direct).toMatchObject({ kind: 'invalid_request', code: 'invalid_image_url', param: 'p' })
  expect(direct.message).toContain(problem)
  reply = () => redirect(url())
  expect(await refusal(address())).toEqual(direct)
  expect(internalRequests).toBe(0)
})

test('a backslash is what the one parser says it is', async () => {
  expect((await refusal(`http://127.0.0.2:${internal.port}\\@pictures.example:${port}/`)).message).toBe(gone)
  await fetchFrom(`http://pictures.example:${port}\\@127.0.0.2:${internal.port}/`)
  expect(internalRequests).toBe(0)
})

test('proxies of the environment are not asked', async () => {
  process.env.HTTP_PROXY = internalUrl
  try {
    await fetchFrom(address())
  } finally {
    delete process.env.HTTP_PROXY
  }
  expect(internalRequests).toBe(0)
})

describe('with the rules of production', () => {
  test.each(['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '[::]', '[::ffff:127.0.0.1]', '2130706433', '127.1'])(
    'this machine is not asked as %s',
    async (host) => {
      const message = toApiError(
        await new ImageFetcher({ isAllowed: true, userAgent: 'inferd/test' })
          .fetch({
            url: `http://${host}:${port}/`,
            param: 'p',
            limits: testImageLimits,
            accountId: 'a',
            signal: new AbortController().signal,
          })
          .then(Object, (error: unknown) => error),
      ).message
      expect(message).toBe(gone)
      expect(requests).toEqual([])
    },
  )
})

describe('what comes', () => {
  const withBody = (body: Uint8Array, more: Partial<RawReply> = {}): RawReply => ({
    status: 200,
    headers: { 'content-length': String(body.length) },
    body,
    ...more,
  })

  test.each([
    ['a status that is no success', { ...whole, status: 404 }, 'invalid_image_url', 'answers with the status 404.'],
    ['a redirect to nowhere', { ...whole, status: 302 }, 'invalid_image_url', 'answers with the status 302.'],
    ['what is no picture', withBody(Buffer.from('<html></html>')), 'invalid_image', 'format HTML'],
    ['nothing', withBody(new Uint8Array()), 'invalid_image', 'it is empty'],
    ['a part of it', withBody(picture, { cutAfter: 20 }), 'invalid_image_url', 'was lost'],
    [
      'it compressed',
      withBody(picture, { headers: { 'content-length': String(picture.length), 'content-encoding': 'gzip' } }),
      'invalid_image_url',
      'sends it compressed',
    ],
    ['too much, as it says', withBody(new Uint8Array(1001)), 'payload_too_large', 'at most 1000 bytes'],
    [
      'too much, without a length',
      withBody(new Uint8Array(100_000), { headers: {} }),
      'payload_too_large',
      'at most 1000 bytes',
    ],
  ])('%s is refused', async (_name, answer, code, words) => {
    reply = () => answer
    const error = await refusal(address(), { bytes: 1000 })
    expect(error).toMatchObject({ code, param: 'p' })
    expect(error.message).toContain(words)
  })

  test('a server that goes on for ever is left when the limit is reached', async () => {
    const megabyte = new Uint8Array(1024 * 1024)
    let sentBytes = 0
    const left = Promise.withResolvers<void>()
    const endless = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.on('close', () => left.resolve())
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      const pour = () => {
        while (!socket.destroyed && socket.write(megabyte)) sentBytes += megabyte.length
        sentBytes += megabyte.length
      }
      socket.on('drain', pour)
      pour()
    })
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve))
    const listening = endless.address()
    const endlessPort = typeof listening === 'object' && listening !== null ? listening.port : 0
    const error = await refusal(`http://pictures.example:${endlessPort}/`, { bytes: 2_000_000 })
    expect(error.code).toBe('payload_too_large')
    await left.promise
    expect(sentBytes).toBeLessThan(64 * 1024 * 1024)
    await new Promise((resolve) => endless.close(resolve))
  })

  test('a server that does not answer is not waited for', async () => {
    reply = () => new Promise(() => undefined)
    expect((await refusal(address(), { limitsMs: { head: 50, file: 10_000 } })).message).toContain(
      'does not arrive within 0.05 seconds',
    )
  })

  test('a server that stalls, or sends a byte at a time, is not waited for', async () => {
    for (const fault of [{ stallAfter: 20 }, { dripMs: 20 }]) {
      reply = () => ({ ...whole, ...fault })
      expect((await refusal(address(), { limitsMs: { head: 10_000, file: 200 } })).message).toContain(
        'does not arrive within 0.2 seconds',
      )
    }
  })

  test('a name that is not found in time is not waited for', async () => {
    const addressesOf = () => new Promise<never>(() => undefined)
    expect((await refusal(address(), { addressesOf, limitsMs: { head: 10_000, file: 200 } })).message).toContain(
      'within 0.2 seconds',
    )
  })

  test('a client that leaves is not waited for', async () => {
    const controller = new AbortController()
    reply = () => {
      controller.abort(new Error('gone'))
      return new Promise(() => undefined)
    }
    await expect(fetchFrom(address(), { signal: controller.signal })).rejects.toThrow('gone')
  })
})

describe('over TLS', () => {
  let host = ''
  const secure = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls: { cert: certificate, key: privateKey },
    fetch: (request) => {
      host = request.headers.get('host') ?? ''
      return new Response(picture)
    },
  })
  afterAll(() => secure.stop(true))
  const at = (name: string) => `https://${name}:${secure.port}/`

  test('the certificate is checked by the name, not by the address', async () => {
    expect((await fetchFrom(at('localhost'), { ca: certificate })).header.width).toBe(3)
    expect(host).toBe(`localhost:${secure.port}`)
    expect((await refusal(at('other.example'), { ca: certificate })).message).toBe(gone)
    expect((await refusal(at('localhost'))).message).toBe(gone)
  })
})

test('an account fetches four at a time', async () => {
  const gate = Promise.withResolvers<void>()
  const four = Promise.withResolvers<void>()
  reply = async () => {
    if (requests.length === 4) four.resolve()
    await gate.promise
    return whole
  }
  const one = fetcher({ limitsMs: { head: 10_000, file: 10_000 } })
  const get = async (accountId: string) => {
    const { signal } = new AbortController()
    using _image = await one.fetch({ url: address(), param: 'p', limits: testImageLimits, accountId, signal })
  }
  const fetching = Array.from({ length: 6 }, () => get('a'))
  await four.promise
  const other = get('b')
  while (requests.length < 5) await new Promise((resolve) => setImmediate(resolve))
  expect(requests).toHaveLength(5)
  gate.resolve()
  await Promise.all([...fetching, other])
  expect(requests).toHaveLength(7)
})
