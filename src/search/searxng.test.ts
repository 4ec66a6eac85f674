/** Requests to a SearXNG server, and what is made of its answers: real sockets, a server that lies. */
import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { maxSearchResults } from '../core/web-search.ts'
import { fakeSearxng, foundPages } from '../testing/fake-searxng.ts'
import { askSearxng, searchAddress, searxngSearch } from './searxng.ts'

const searxng = fakeSearxng()
/** A server that nobody named. */
const other = fakeSearxng()
const usual = searxng.answer
afterAll(async () => {
  await searxng[Symbol.asyncDispose]()
  await other[Symbol.asyncDispose]()
})
afterEach(() => {
  searxng.answer = usual
  searxng.asked.length = 0
})

const options = { url: searxng.url, userAgent: 'inferd/test' }
const { signal } = new AbortController()
const search = searxngSearch(options)
const find = (text: string, rest: object = {}) => search({ text, ...rest }, 'acc_1', signal)

describe('only the named server is asked, by its search alone', () => {
  test.each([
    ['an address', 'http://169.254.169.254/latest/meta-data'],
    ['another host', '@evil.example/'],
    ['a path', '/../../admin'],
    ['parameters', 'a&format=html&engines=all#x'],
    ['lines', 'a\r\nHost: evil.example\r\n\r\nGET / HTTP/1.1'],
    ['a null', 'a\0b'],
    ['half a character', 'a\ud800'],
  ])('a query that is %s stays a query', async (_, text) => {
    expect(await find(text.toWellFormed())).toMatchObject({ type: 'results' })
    expect(searxng.asked).toHaveLength(1)
    const { pathname, searchParams } = new URL(`http://x${searxng.asked[0]}`)
    expect([pathname, ...searchParams]).toEqual(['/search', ['q', text.toWellFormed()], ['format', 'json']])
  })

  test.each(['evil.example/', 'a.example&format=html', 'x#y', '@evil.example', 'http://10.0.0.1/'])(
    'the domain %s chooses no host',
    (domain) => {
      const address = searchAddress('http://search.example:8888/sub/', { text: 'a', allowedDomains: [domain] })
      expect([address.origin, address.pathname]).toEqual(['http://search.example:8888', '/sub/search'])
      expect(address.searchParams.get('q')).toBe(`a site:${domain}`)
    },
  )

  test.each([301, 302, 303, 307, 308])('a redirect by %i is not followed', async (status) => {
    searxng.answer = () => new Response('', { status, headers: { location: `${other.url}/search?q=a&format=json` } })
    expect(await find('a')).toEqual({ type: 'problem', problem: 'unavailable' })
    expect(other.asked).toEqual([])
  })

  test('a proxy of the environment is not used', async () => {
    const before = process.env.http_proxy
    process.env.http_proxy = other.url
    try {
      expect(await find('a')).toMatchObject({ type: 'results' })
    } finally {
      if (before === undefined) delete process.env.http_proxy
      else process.env.http_proxy = before
    }
    expect(other.asked).toEqual([])
  })

  test('results are never fetched', async () => {
    searxng.answer = () => Response.json({ results: [{ url: `${other.url}/page`, title: 'a' }] })
    expect(await find('a')).toMatchObject({ results: [{ url: `${other.url}/page` }] })
    expect(other.asked).toEqual([])
  })
})

describe('answers', () => {
  test.each<[name: string, answer: () => Response, problem: string]>([
    ['HTML', () => new Response('<html></html>'), 'unavailable'],
    ['JSON of another form', () => Response.json([1]), 'unavailable'],
    ['a null', () => Response.json(null), 'unavailable'],
    ['results that are no list', () => Response.json({ results: {} }), 'unavailable'],
    ['too many bytes', () => new Response('x'.repeat(3 * 1024 * 1024)), 'unavailable'],
    [
      'compressed bytes',
      () => new Response(Bun.gzipSync('{"results":[]}'), { headers: { 'content-encoding': 'gzip' } }),
      'unavailable',
    ],
    ['a refusal', () => new Response('', { status: 403 }), 'unavailable'],
    ['an empty answer', () => new Response(null, { status: 204 }), 'unavailable'],
    ['too many requests', () => new Response('', { status: 429 }), 'too_many_requests'],
  ])('%s is a problem', async (_, answer, problem) => {
    searxng.answer = answer
    expect(await find('a')).toEqual({ type: 'problem', problem } as never)
  })

  test('a server that is not there, that hangs and that breaks off are problems', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    const rude = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{')).listen(
      0,
      '127.0.0.1',
    )
    const portOf = (server: typeof silent) => Object(server.address()).port
    const limits = { timeoutMs: 50, answerBytes: 1_000 }
    const ask = (url: string) => askSearxng({ url, userAgent: 'x', limits }, { text: 'a' }, signal)
    expect(await ask(`http://127.0.0.1:${portOf(silent)}`)).toMatchObject({ type: 'failed' })
    expect(await ask(`http://127.0.0.1:${portOf(rude)}`)).toMatchObject({ type: 'failed' })
    const port = portOf(silent)
    silent.close()
    rude.close()
    expect(await ask(`http://127.0.0.1:${port}`)).toMatchObject({ type: 'failed' })
    expect(await ask('http://search.invalid')).toMatchObject({ type: 'failed' })
  })

  test('the reason of a cancelled search is thrown', async () => {
    const client = new AbortController()
    searxng.answer = () => {
      client.abort(new Error('gone'))
      return new Promise(() => undefined)
    }
    expect(await search({ text: 'a' }, 'acc_1', client.signal).catch(String)).toBe('Error: gone')
  })

  test('at most ten results come, each bounded, once, and of pages alone', async () => {
    const odd = [
      ...[null, 'a', 7, [], { title: 'no address' }, { url: 'javascript:alert(1)' }, { url: 'file:///etc/passwd' }],
      ...[
        { url: 'http://user:pw@a.example/' },
        { url: 'ftp://a.example' },
        { url: 3 },
        { url: `http://a/${'x'.repeat(3_000)}` },
        { url: `http://a/${'\u4e00'.repeat(1_000)}`, title: 'long once it is escaped' },
      ],
    ]
    const page = {
      url: 'https://a.example/0',
      title: 't'.repeat(500),
      content: `a\n\u0007b ${'c'.repeat(5_000)}`,
      publishedDate: 5,
    }
    const pages = Array.from({ length: 30 }, (_, index) => ({ url: `https://a.example/${index}` }))
    searxng.answer = () => Response.json({ results: [...odd, page, page, ...pages] })
    const outcome = await find('a')
    const { results } = Object(outcome)
    expect(results).toHaveLength(maxSearchResults)
    expect(results[0]).toEqual({
      url: 'https://a.example/0',
      title: 't'.repeat(300),
      snippet: expect.stringMatching(/^a b c{996}$/),
    })
    expect(results[1]).toEqual({ url: 'https://a.example/1', title: 'a.example', snippet: '' })
  })
})

test('of a flood of results the first hundred are read', async () => {
  const flood = Array.from({ length: 50_000 }, (_, index) => ({ url: `http://a/${index}` }))
  searxng.answer = () => Response.json({ results: flood })
  const blockedDomains = Array.from({ length: 100 }, (_, index) => (index === 99 ? 'a' : `${index}.example`))
  expect(await find('a', { blockedDomains })).toEqual({ type: 'results', results: [] })
  const late = [...flood.slice(0, 100), { url: 'https://b.example' }]
  searxng.answer = () => Response.json({ results: late })
  expect(await find('a', { blockedDomains })).toEqual({ type: 'results', results: [] })
  searxng.answer = () => Response.json({ results: late.slice(1) })
  expect(await find('a', { blockedDomains })).toMatchObject({ results: [{ url: 'https://b.example/' }] })
})

const urls = [
  'https://example.org/a',
  'https://en.example.org/docs/x',
  'https://badexample.org/',
  'https://b.example/docs',
  'https://b.example./other',
  'https://xn--mnchen-3ya.example/',
]
test.each([
  ['a host and those below it', { allowedDomains: ['example.org'] }, [0, 1]],
  ['a host below another', { allowedDomains: ['en.example.org'] }, [1]],
  ['capital letters and a star', { allowedDomains: ['*.Example.ORG'] }, [0, 1]],
  ['a path', { allowedDomains: ['example.org/docs'] }, [1]],
  ['a path with a star', { allowedDomains: ['b.example/do*', 'example.org/a'] }, [0, 3]],
  ['nothing', { allowedDomains: [''] }, []],
  ['no list', {}, [0, 1, 2, 3, 4, 5]],
  ['blocked ones', { blockedDomains: ['example.org', 'b.example/docs'] }, [2, 4, 5]],
  ['a host that ends in a dot', { blockedDomains: ['b.example'] }, [0, 1, 2, 5]],
  ['an entry with a scheme', { blockedDomains: ['https://example.org/', 'HTTP://b.example'] }, [2, 5]],
  ['other alphabets', { allowedDomains: ['München.example'] }, [5]],
  ['no host', { blockedDomains: ['[', 'a b', '*', '/'] }, [0, 1, 2, 3, 4, 5]],
])('domains: %s', async (_, filter, expected) => {
  searxng.answer = () => Response.json({ results: urls.map((url) => ({ url })) })
  const { results } = Object(await find('a', filter))
  expect(results.map(({ url }: { url: string }) => urls.indexOf(url))).toEqual(expected)
})

test.each([
  [0, 'day'],
  [1, 'day'],
  [7, 'month'],
  [365, 'year'],
  [10_000, null],
])('results of the last %i days are asked for by the range %p', (recencyDays, range) => {
  expect(searchAddress('http://a', { text: 'a', recencyDays }).searchParams.get('time_range')).toBe(range)
})

test('an account has a share of the searches at once', async () => {
  const gate = Promise.withResolvers<void>()
  const four = Promise.withResolvers<void>()
  const five = Promise.withResolvers<void>()
  searxng.answer = async () => {
    if (searxng.asked.length === 4) four.resolve()
    if (searxng.asked.length === 5) five.resolve()
    await gate.promise
    return Response.json({ results: foundPages })
  }
  const searches = Array.from({ length: 6 }, (_, index) => find(`q${index}`))
  await four.promise
  const another = search({ text: 'other' }, 'acc_2', signal)
  await five.promise
  gate.resolve()
  await Promise.all([...searches, another])
  expect(searxng.asked[4]).toContain('q=other')
})
