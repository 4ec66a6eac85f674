/** Endpoints answer with the status that docs/reference/routes.md names. */
import { afterAll, expect, test } from 'bun:test'
import { endpointRows } from '../testing/compatibility/rows/endpoints.ts'
import { dialectEndpoints } from '../testing/dialect-endpoints.ts'
import { ollamaEndpoints } from '../testing/ollama-endpoints.ts'
import { pictureBody, pictureModels } from '../testing/picture-endpoints.ts'
import { promptEndpoints } from '../testing/prompt-endpoints.ts'
import { recording } from '../testing/recording.ts'
import { starterSpeechModel } from '../testing/starter-speech.ts'
import { startTestServer } from '../testing/test-server.ts'
import { textModels } from '../testing/text-models.ts'
import { textsEndpoints } from '../testing/texts-endpoints.ts'
import { tokenEndpoints } from '../testing/token-endpoints.ts'

const speaker = { 'inferd/starter-tts': starterSpeechModel('tts') }
const ears = { 'test/ears': { manifest: { type: 'stt', capabilities: { translation: true } } } } as const
const server = startTestServer({ models: { ...textModels, ...pictureModels, ...speaker, ...ears } })
const form = new FormData()
form.append('model', 'test/ears')
form.append('file', new Blob([recording(1)]))
const endpoints = [
  ...dialectEndpoints.map(({ path, write }) => ({ path, body: write({}) })),
  ...promptEndpoints.map(({ path, body }) => ({ path, body })),
  ...tokenEndpoints.map(({ path, body }) => ({ path, body })),
  ...textsEndpoints.map(({ path, body }) => ({ path, body })),
  ...ollamaEndpoints.map(({ path, bodies: [body = {}] }) => ({ path, body })),
  { path: '/v1/images/generations', body: pictureBody },
  { path: '/v1/audio/speech', body: { model: 'inferd/starter-tts', input: 'A.', voice: 'alloy' } },
  { path: '/v1/audio/transcriptions', body: form },
  { path: '/v1/audio/translations', body: form },
]
afterAll(() => server[Symbol.asyncDispose]())

function answer(method: string, path: string, headers: Record<string, string> = {}): Promise<Response> {
  const { body } = endpoints.find((candidate) => path.endsWith(candidate.path)) ?? { body: {} }
  return fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${server.keys.valid}`, ...headers },
    ...(method === 'POST' ? { body: body instanceof FormData ? body : JSON.stringify(body) } : {}),
  })
}

test.each(endpointRows)('$method $path: $status', async ({ method, path, status }) => {
  expect((await answer(method, path)).status).toBe(status)
  if (path.startsWith('/v1/')) expect((await answer(method, `/openai${path}`)).status).toBe(status)
})

test('every endpoint is among them', () => {
  const named = endpointRows.map(({ method, path }) => `${method} ${path}`)
  expect(endpoints.filter(({ path }) => !named.includes(`POST ${path}`))).toEqual([])
})

test('requests beside the table are answered as its remarks and docs/compatibility.md say', async () => {
  expect((await answer('GET', '/v1/responses', { upgrade: 'websocket', connection: 'upgrade' })).status).toBe(426)
  expect((await answer('GET', '/v1/models/test%2Ffake')).status).toBe(200)
  expect((await fetch(`${server.url}/v1/models`)).status).toBe(200)
  expect((await answer('OPTIONS', '/v1/messages')).status).toBe(204)
  expect((await server.post('/v1/messages/?beta=true', dialectEndpoints[3]?.write({}))).status).toBe(200)
  const stored = await answer('GET', '/v1/responses/resp_1')
  expect(await stored.json()).toMatchObject({ error: { code: 'not_supported' } })
})
