import { afterAll, expect, test } from 'bun:test'
import { openRaw } from '../testing/raw-connection.ts'
import { startTestServer } from '../testing/test-server.ts'
import { createEdge, type EdgeOptions } from './edge.ts'
import { listenPlainly } from './listener.ts'

const server = startTestServer()
afterAll(() => server[Symbol.asyncDispose]())

/** Sends the head of a request. Resolves with the whole answer, headers included. */
async function answerTo(...lines: string[]): Promise<string> {
  const { socket, closed } = await openRaw(server.url)
  socket.write(`${lines.join('\r\n')}\r\nconnection: close\r\n\r\n`)
  const text = await closed()
  socket.destroy()
  return text
}

test.each(['gpu', 'ai', 'box', 'a', 'a:1', 'x:8080', '[::1]', 'ai.example'])(
  'every route is there under the host %s',
  async (host) => {
    for (const path of ['/health', '/', '/v1/models', '/openai/v1/models/test/fake', '/v1/models?a=/b']) {
      expect(await answerTo(`GET ${path} HTTP/1.1`, `host: ${host}`)).toStartWith('HTTP/1.1 200 ')
    }
    expect(await answerTo('POST /v1/chat/completions HTTP/1.1', `host: ${host}`, 'content-length: 0')).toContain(
      'missing_api_key',
    )
  },
)

test.each(['', 'host: '])('an HTTP/1.0 request without a host is served (%p)', async (host) => {
  const lines = host === '' ? [] : [host]
  for (const path of ['/health', '/v1/models', '/openai/v1/models/test/fake?a=/b']) {
    const answer = await answerTo(`GET ${path} HTTP/1.0`, ...lines)
    expect(answer).toStartWith('HTTP/1.1 200 ')
  }
  expect(await answerTo('GET /v1/models HTTP/1.0', ...lines)).toContain(`"docs":"${server.url}/docs/models#test/fake"`)
  expect(await answerTo('GET //x HTTP/1.0', ...lines)).toContain(`"docs_url":"${server.url}/docs/errors#not_found"`)
  expect(await answerTo('HEAD /health HTTP/1.0', ...lines)).toStartWith('HTTP/1.1 200 ')
  expect(await answerTo('OPTIONS /health HTTP/1.0', ...lines)).toStartWith('HTTP/1.1 204 ')
})

test('an HTTP/1.0 request without a host may have a body, and its client may leave', async () => {
  const content = JSON.stringify({ script: [{ text: 'Hello' }, { waitForCancel: true }] })
  const body = JSON.stringify({ model: 'fake', stream: true, messages: [{ role: 'user', content }] })
  const { socket, until } = await openRaw(server.url)
  const head = ['POST /v1/chat/completions HTTP/1.0', `authorization: Bearer ${server.keys.valid}`]
  socket.write(`${[...head, `content-length: ${body.length}`].join('\r\n')}\r\n\r\n${body}`)
  expect(await until('"content":"Hello"')).toStartWith('HTTP/1.1 200 ')
  socket.destroy()
  expect(await server.line((line) => line.isStream === true)).toMatchObject({ status: 200, isAborted: true })
})

test.each(['a b<>', '<', 'a:b', 'x y'])('the host %p forms no address and is a 400', async (host) => {
  const answer = await answerTo('GET /health HTTP/1.1', `host: ${host}`)
  expect(answer).toStartWith('HTTP/1.1 400 ')
  expect(answer).toContain('"code":"invalid_host"')
  expect(answer).toContain(`"docs_url":"${server.url}/docs/errors#invalid_host"`)
  expect(server.lines.at(-1)).toMatchObject({ path: '/health', code: 'invalid_host' })
})

test.each(['host: ai.example:443', 'host: gpu'])('a proxy is not what this is (%s)', async (host) => {
  const answer = await answerTo('CONNECT ai.example:443 HTTP/1.1', host)
  expect(answer).toStartWith('HTTP/1.1 405 ')
  expect(answer).toContain(`"docs_url":"${server.url}/docs/errors#method_not_allowed"`)
})

test('an answer that is made whole is sent when what its request kept is gone, one that goes on is not held back', async () => {
  const deletion = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const events: string[] = []
  const services = {
    config: { trustedProxies: [], keylessOrigins: [], idleTimeoutSeconds: 10 },
    clock: Date.now,
    newId: (prefix: string) => `${prefix}1`,
    requests: { end: () => undefined },
    log: () => events.push('ended'),
  } as unknown as EdgeOptions['services']
  const end: { stream?: () => void } = {}
  const edge = createEdge({
    ...{ services, intake: {} as EdgeOptions['intake'], routes: [], pagesPort: undefined },
    fetch: async ({ exchange }) => {
      if (exchange.url.pathname === '/plain') return new Response('answer')
      exchange.keep({
        async [Symbol.asyncDispose]() {
          begun.resolve()
          await deletion.promise
          events.push('deleted')
        },
      })
      exchange.onEnd(() => events.push('left'))
      if (exchange.url.pathname === '/stream') end.stream = exchange.outlive()
      return new Response('answer')
    },
  })
  const parts = {
    hostname: '127.0.0.1',
    port: 0,
    idleTimeoutSeconds: 60,
    folders: new Set<string>(),
    handle: edge.handle,
  }
  const listener = listenPlainly({ ...parts, error: () => new Response(null, { status: 500 }) })
  await using front = { url: listener.origin, [Symbol.asyncDispose]: () => listener.stop(true) }
  expect(await (await fetch(new URL('/stream', front.url))).text()).toBe('answer')
  expect(events).toEqual([])
  const answered = fetch(new URL('/whole', front.url)).then(() => events.push('answered'))
  await begun.promise
  // The answer to /whole would have come before these three if it were not held back.
  for (let other = 0; other < 3; other++) await (await fetch(new URL('/plain', front.url))).text()
  expect(events).toEqual(['left', 'ended', 'ended', 'ended'])
  deletion.resolve()
  await answered
  expect(events.slice(4)).toEqual(['deleted', 'ended', 'answered'])
  end.stream?.()
  await edge.drained()
  expect(events.slice(7)).toEqual(['left', 'deleted', 'ended'])
})
