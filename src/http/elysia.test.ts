/** Cases for which the edge wraps Elysia: its hooks skip some requests, or run too late. README.md lists them. */
import { expect, test } from 'bun:test'
import { Elysia } from 'elysia'

function appWith(hooks: string[]) {
  return new Elysia()
    .onRequest(({ request }) => (request.url.endsWith('/early') ? new Response('early') : undefined))
    .derive(() => void hooks.push('derive'))
    .onAfterHandle(() => void hooks.push('afterHandle'))
    .mapResponse(() => void hooks.push('mapResponse'))
    .onAfterResponse(() => void hooks.push('afterResponse'))
    .onError(() => new Response('refused', { status: 418 }))
    .get('/found', () => new Response('found'))
}

test.each([
  ['/found', 'GET', ['derive', 'afterHandle', 'mapResponse']],
  // Unknown paths, unsupported methods and early answers to OPTIONS get no headers.
  ['/unknown', 'GET', []],
  ['/found', 'PUT', []],
  ['/early', 'GET', []],
])('%s by %s passes only these hooks before its answer is sent', async (path, method, expected) => {
  const hooks: string[] = []
  await appWith(hooks).fetch(new Request(`http://localhost${path}`, { method }))
  expect(hooks).toEqual(expected)
})

test('the hook after a response does not wait for the end of its stream', async () => {
  const hooks: string[] = []
  const ended = Promise.withResolvers<void>()
  const said = Promise.withResolvers<void>()
  const app = new Elysia()
    .onAfterResponse(() => {
      hooks.push('afterResponse')
      said.resolve()
    })
    .get('/', () => new Response(new ReadableStream({ pull: (sink) => ended.promise.then(() => sink.close()) })))
  const response = await app.fetch(new Request('http://localhost/'))
  await said.promise
  ended.resolve()
  expect(await response.text()).toBe('')
  expect(hooks).toEqual(['afterResponse'])
})

test('a body is read before a guard is asked', async () => {
  const seen: boolean[] = []
  const app = new Elysia().post('/', ({ body }) => `${body}`, {
    beforeHandle: ({ request }) => void seen.push(request.bodyUsed),
  })
  const headers = { 'content-type': 'text/plain' }
  await app.fetch(new Request('http://localhost/', { method: 'POST', headers, body: 'a' }))
  expect(seen).toEqual([true])
})
