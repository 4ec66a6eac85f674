/**
 * Commands in answers are completed so that they reach this server, for programs of its machine. Others learn no path
 * of it.
 */
import { expect, test } from 'bun:test'
import { ApiError } from '../core/errors.ts'
import { startTestServer, type TestServer } from '../testing/test-server.ts'
import { withHint } from './own-commands.ts'

const reach = { program: '/opt/inferd', flags: ' --data "/srv/my models"' }
const file = { role: 'model', name: 'a.gguf', url: 'https://host.example/a.gguf' } as const
const models = {
  'org/absent': { manifest: { files: [file] }, status: { kind: 'available' } },
  'org/ranks': { manifest: { type: 'rerank', files: [file] }, status: { kind: 'available' } },
  'org/unfetchable': { manifest: { files: [{ ...file, url: undefined }] }, status: { kind: 'available' } },
  'org/broken': { status: { kind: 'broken', reason: "its sum differs; 'inferd verify org/broken' tells more" } },
} as const

const chat = (model: string) => ({ model, messages: [{ role: 'user', content: 'Hi' }] })

/** Requests whose answers name a command. */
const requests: readonly [path: string, body: object | undefined, command: string][] = [
  ['/v1/chat/completions', chat('org/absent'), 'pull org/absent'],
  ['/v1/chat/completions', { ...chat('org/absent'), stream: true }, 'pull org/absent'],
  ['/v1/chat/completions', chat('org/unfetchable'), 'list --json'],
  ['/v1/chat/completions', chat('org/broken'), 'verify org/broken'],
  ['/v1/responses', { model: 'org/absent', input: 'Hi' }, 'pull org/absent'],
  ['/v1/messages', { ...chat('org/absent'), max_tokens: 9 }, 'pull org/absent'],
  ['/v2/rerank', { model: 'org/ranks', query: 'a', documents: ['b'] }, 'pull org/ranks'],
  ['/api/chat', chat('org/absent'), 'pull org/absent'],
  ['/v1/models', undefined, 'verify org/broken'],
  ['/v1/models/org/broken', undefined, 'verify org/broken'],
  ['/dashboard/api/sign-in-link', { email: 'ada@example.org' }, 'outbox'],
  ['/admin/api/setup', { token: 'a'.repeat(43), name: 'Ada', password: 'a long password' }, 'admin link'],
]

async function ask(server: TestServer, [path, body]: (typeof requests)[number], headers: Record<string, string>) {
  const method = body === undefined ? 'GET' : 'POST'
  const response = await fetch(server.url + path, {
    method,
    headers: {
      authorization: `Bearer ${server.keys.valid}`,
      'content-type': 'application/json',
      origin: server.url,
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return (await response.text()).replaceAll('\\"', '"')
}

test('every answer that names a command makes it complete for this machine, and for this machine alone', async () => {
  await using server = startTestServer({ models, config: { reach, admin: 'network' } })
  for (const request of requests) {
    const [path, , command] = request
    const answer = await ask(server, request, {})
    const isComplete = answer.includes(`'/opt/inferd ${command} --data "/srv/my models"'`)
    expect([path, isComplete ? 'complete' : answer]).toEqual([path, 'complete'])
    const elsewhere = await ask(server, request, { 'x-forwarded-for': '192.0.2.7' })
    expect([path, elsewhere.includes(`'inferd ${command}'`) ? 'bare' : elsewhere]).toEqual([path, 'bare'])
  }
})

test('an error with a completed message is otherwise the same', () => {
  const request = new Request('http://127.0.0.1/')
  const reader = { request, peerAddress: '127.0.0.1', services: { config: { host: '127.0.0.1', reach } } }
  const details = {
    code: 'queue_full',
    param: 'model',
    retryAfterSeconds: 3,
    modelId: 'org/a',
    cause: new Error('why'),
  }
  const error = new ApiError('rate_limit', "'inferd ps' tells more", details)
  const completed = withHint(reader, error)
  expect(completed.message).toBe(`'/opt/inferd ps --data "/srv/my models"' tells more`)
  expect({ ...completed }).toEqual({ ...error })
  expect(completed.cause).toBe(details.cause)
  const plain = new ApiError('rate_limit', 'Later.', details)
  expect(withHint(reader, plain)).toBe(plain)
})
