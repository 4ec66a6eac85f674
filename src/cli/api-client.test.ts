import { afterAll, beforeAll, expect, test } from 'bun:test'
import { apiClient, BrokenOff } from './api-client.ts'

/** Address at which nothing listens. */
const dead = 'http://127.0.0.1:1'
const { signal } = new AbortController()

let server: ReturnType<typeof Bun.serve>
beforeAll(() => {
  const answers: Readonly<Record<string, () => Response>> = {
    '/v1/whole': () => new Response('data: {"n":1}\n\ndata: [DONE]\n\n'),
    '/v1/cut': () => new Response('data: {"n":1}\n\n'),
    '/v1/failing': () => new Response('data: {"n":1}\n\ndata: {"error":{"message":"Too hot."}}\n\n'),
  }
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url, headers }) => {
      if (headers.get('authorization') !== 'Bearer good') return Response.json({}, { status: 401 })
      return answers[new URL(url).pathname]?.() ?? Response.json({ error: { message: 'No.' } }, { status: 503 })
    },
  })
})
afterAll(() => server.stop(true))

/** Returns a client that reaches these addresses one after the other. */
function clientOf(urls: string[], key = 'good') {
  const connect = async () => ({ url: urls.shift() ?? dead, key, isHere: true })
  return apiClient({ connect, renewKey: async () => 'good' })
}

async function read(path: string) {
  const seen: unknown[] = []
  const answer = await clientOf([server.url.origin]).post(path, {}, signal)
  for await (const event of answer.events()) seen.push(event)
  return seen
}

test('a request goes to the server that has taken the place of one that is gone', async () => {
  expect(await (await clientOf([dead, server.url.origin]).get('/whole', signal)).text()).toContain('[DONE]')
  await expect(clientOf([dead, dead, server.url.origin]).get('/whole', signal)).rejects.toThrow(BrokenOff)
})

test('a refused key is renewed once, and a refusal says by its exit code whether to try later', async () => {
  expect(await (await clientOf([server.url.origin], 'bad').get('/whole', signal)).text()).toContain('[DONE]')
  const refused = clientOf([server.url.origin]).get('/other', signal)
  await expect(refused).rejects.toMatchObject({ message: 'No', exitCode: 3 })
})

test('a stream without an end is broken off, one with an error fails', async () => {
  expect(await read('/whole')).toEqual([{ n: 1 }])
  await expect(read('/cut')).rejects.toThrow('the answer has no end')
  await expect(read('/failing')).rejects.toMatchObject({ message: 'Too hot', exitCode: 1 })
})
