/** No body whatever makes the server fail or hang, in any dialect: 1,000 of each over a real socket. */
import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { JsonObject } from '../core/json.ts'
import { mutatedJson, oddValue } from '../testing/mutated-json.ts'
import { startTestServer } from '../testing/test-server.ts'
import { chatBodies, countTokensBodies, messagesBodies, responsesBodies } from '../testing/valid-bodies.ts'

const server = startTestServer({ config: { bodyLimitBytes: 1_000_000 } })
afterAll(() => server[Symbol.asyncDispose]())

const cases = 1_000
/** Answers are short; anything that needs longer hangs. */
const hangsAfterMs = 5_000

interface Endpoint {
  readonly path: string
  readonly bodies: readonly JsonObject[]
  /** Throws when the text is no error of this dialect. */
  readonly expectError: (text: string) => void
  /** How the text of a stream that ended well ends. */
  readonly streamEnd: RegExp
}

const endpoints: readonly Endpoint[] = [
  {
    path: '/v1/chat/completions',
    bodies: chatBodies,
    expectError: expectPlainError,
    streamEnd: /\ndata: \[DONE\]\n\n$/,
  },
  {
    path: '/v1/responses',
    bodies: responsesBodies,
    expectError: expectPlainError,
    streamEnd: /\nevent: response\.(completed|incomplete)\ndata: .+\n\n$/,
  },
  {
    path: '/v1/messages',
    bodies: messagesBodies,
    expectError: expectMessagesError,
    streamEnd: /\nevent: message_stop\ndata: .+\n\n$/,
  },
  {
    path: '/v1/messages/count_tokens',
    bodies: countTokensBodies,
    expectError: expectMessagesError,
    streamEnd: /^never a stream$/,
  },
]

function expectPlainError(text: string): void {
  const { error, ...rest } = JSON.parse(text)
  expect(rest).toEqual({})
  expect(Object.keys(error)).toEqual(['message', 'type', 'param', 'code', 'docs_url'])
  expect(error.type).toBe('invalid_request_error')
  expect(error.code).toBeString()
  expect(error.message).toMatch(/^.{10,}/)
  // What is wrong is named, unless it is the body as a whole.
  if (error.param === null) expect(error.message).toContain('body')
  else expect(error.param).toBeString()
}

function expectMessagesError(text: string): void {
  const { type, error, request_id, ...rest } = JSON.parse(text)
  expect(rest).toEqual({})
  expect(type).toBe('error')
  expect(request_id).toMatch(/^req_\w{24}$/)
  expect(['invalid_request_error', 'not_found_error', 'request_too_large']).toContain(error.type)
  expect(error.message).toMatch(/^.{6,}/)
}

/** Mostly bodies that are nearly right; also what is no body of any dialect, or no JSON. */
function bodyText(bodies: readonly JsonObject[]): fc.Arbitrary<string> {
  const valid = bodies.map((body) => JSON.stringify(body))
  return fc.oneof(
    { weight: 16, arbitrary: mutatedJson(bodies) },
    { weight: 1, arbitrary: oddValue.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom(...valid), fc.nat(3_000)).map(([text, end]) => text.slice(0, end)),
    },
  )
}

test.each(endpoints)(
  'no body makes $path fail or hang',
  async ({ path, bodies, expectError, streamEnd }) => {
    const statuses = new Map<number, number>()
    await fc.assert(
      fc.asyncProperty(bodyText(bodies), async (body) => {
        const response = await fetch(server.url + path, {
          method: 'POST',
          headers: { authorization: `Bearer ${server.keys.valid}`, 'content-type': 'application/json' },
          body,
          signal: AbortSignal.timeout(hangsAfterMs),
        })
        const text = await response.text()
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
        expect([200, 400, 404, 413]).toContain(response.status)
        if (response.status !== 200) expectError(text)
        else if (response.headers.get('content-type')?.startsWith('text/event-stream')) expect(text).toMatch(streamEnd)
        else JSON.parse(text)
      }),
      { numRuns: cases, includeErrorInReport: true },
    )
    // Both sides were tried: bodies that are answered and bodies that are not.
    expect(statuses.get(200) ?? 0).toBeGreaterThan(cases / 10)
    expect(statuses.get(400) ?? 0).toBeGreaterThan(cases / 10)
    expect(server.pool.status()).toMatchObject([{ state: 'ready', restarts: 0, running: 0, waiting: 0 }])
    for (const body of bodies) expect((await server.post(path, body)).status).toBe(200)
  },
  60_000,
)
