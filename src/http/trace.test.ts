import { afterAll, expect, test } from 'bun:test'
import { startTestServer } from '../testing/test-server.ts'

const server = startTestServer({ upstream: { boxId: 'own' } })
afterAll(() => server[Symbol.asyncDispose]())

function chat(headers: Record<string, string>, key = server.keys.valid): Promise<Response> {
  return fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify({ model: 'fake', messages: [{ role: 'user', content: 'hello' }] }),
  })
}

test("a caller's id stands in the log beside the server's own, which it never replaces", async () => {
  const response = await chat({ 'x-request-id': 'req_callers' })
  await response.text()
  const own = response.headers.get('x-request-id')
  expect(own).toMatch(/^req_\w{24}$/)
  const line = await server.line(({ requestId }) => requestId === own)
  expect(line.callerRequestId).toBe('req_callers')
  expect(server.requests.recent({ limit: 1 })[0]).toMatchObject({ requestId: own, callerRequestId: 'req_callers' })
})

test.each(['a b', 'x'.repeat(65), '{}'])('an id that is none is not written: %s', async (sent) => {
  const response = await chat({ 'x-request-id': sent })
  await response.text()
  const line = await server.line(({ requestId }) => requestId === response.headers.get('x-request-id'))
  expect(line.callerRequestId).toBeUndefined()
})

test('nor is that of a caller without a key', async () => {
  const response = await chat({ 'x-request-id': 'req_callers' }, 'sk-inferd-none')
  await response.text()
  const line = await server.line(({ requestId }) => requestId === response.headers.get('x-request-id'))
  expect(line).toMatchObject({ status: 401 })
  expect(line.callerRequestId).toBeUndefined()
})

test.each([
  ['went in a circle', 'other,own'],
  ['came through too many servers', 'a,b,c,d,e,f,g,h'],
])('a request that %s is refused', async (_, boxes) => {
  const response = await chat({ 'x-inferd-boxes': boxes })
  expect(response.status).toBe(421)
  expect(await response.json()).toMatchObject({ error: { code: 'upstream_circle', param: 'model' } })
})

test('one that came through others is served', async () => {
  expect((await chat({ 'x-inferd-boxes': 'other,another' })).status).toBe(200)
})
