/**
 * No body makes the server fail or hang: random ones at each endpoint, different in each run, over a real
 * socket.
 */
import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { JsonObject } from '../core/json.ts'
import { dialectEndpoints } from '../testing/dialect-endpoints.ts'
import { mutatedJson, oddValue } from '../testing/mutated-json.ts'
import { ollamaEndpoints } from '../testing/ollama-endpoints.ts'
import { toPdf } from '../testing/pdfs.ts'
import { pictureEndpoints, pictureModels } from '../testing/picture-endpoints.ts'
import { promptEndpoints } from '../testing/prompt-endpoints.ts'
import { recording } from '../testing/recording.ts'
import { startTestServer } from '../testing/test-server.ts'
import { textModels } from '../testing/text-models.ts'
import { textsEndpoints } from '../testing/texts-endpoints.ts'
import { tokenEndpoints } from '../testing/token-endpoints.ts'

const server = startTestServer({
  models: { ...textModels, ...pictureModels, 'test/ears': { manifest: { type: 'stt' } } },
  config: { bodyLimitBytes: 1_000_000, audioFallback: 'test/ears' },
})
afterAll(() => server[Symbol.asyncDispose]())

const cases = 250
/** Time after which a request counts as hanging. Answers are short. */
const hangsAfterMs = 5_000

const table = Buffer.from('a,b').toString('base64')
const pdf = toPdf([{ lines: ['quincunx'] }]).toString('base64')
const sound = { type: 'input_audio', input_audio: { data: recording(0.2).toString('base64'), format: 'wav' } }
/** Contents of a message with documents and recordings, by path. */
const documents: Readonly<Record<string, readonly JsonObject[]>> = {
  '/v1/chat/completions': [
    { type: 'file', file: { filename: 'a.csv', file_data: table } },
    { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` } },
    sound,
  ],
  '/v1/responses': [
    { type: 'input_file', filename: 'a.csv', file_data: table },
    { type: 'input_file', filename: 'a.pdf', file_data: pdf, detail: 'low' },
    sound,
  ],
  '/v1/messages': [
    { type: 'document', source: { type: 'base64', media_type: 'text/csv', data: table } },
    { type: 'document', title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: pdf } },
  ],
}

/** Returns bodies with documents for an endpoint. Endpoints that take none have none. */
function documentBodies(path: string): JsonObject[] {
  const content = documents[path]
  if (content === undefined) return []
  const messages = [{ role: 'user', content }]
  return [path.endsWith('responses') ? { model: 'fake', input: messages } : { model: 'fake', max_tokens: 9, messages }]
}

/** Generates mostly bodies that are nearly valid, and some that are invalid in every dialect or are no JSON. */
function bodyText(bodies: readonly JsonObject[]): fc.Arbitrary<string> {
  const valid = fc.constantFrom(...bodies.map((body) => JSON.stringify(body)))
  return fc.oneof(
    { weight: 16, arbitrary: mutatedJson(bodies) },
    { weight: 1, arbitrary: oddValue.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
    { weight: 1, arbitrary: fc.tuple(valid, fc.nat(3_000)).map(([text, end]) => text.slice(0, end)) },
  )
}

test.each([
  ...dialectEndpoints,
  ...promptEndpoints,
  ...tokenEndpoints,
  ...textsEndpoints,
  ...pictureEndpoints,
  ...ollamaEndpoints,
])(
  'no body makes $path fail or hang',
  async ({ path, bodies, readError, streamEnd }) => {
    const statuses = new Map<number, number>()
    await fc.assert(
      fc.asyncProperty(bodyText([...bodies, ...documentBodies(path)]), async (body) => {
        const response = await fetch(server.url + path, {
          method: 'POST',
          headers: { authorization: `Bearer ${server.keys.valid}`, 'content-type': 'application/json' },
          body,
          signal: AbortSignal.timeout(hangsAfterMs),
        })
        const text = await response.text()
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
        expect([200, 400, 404, 413]).toContain(response.status)
        if (response.status !== 200) readError(text)
        else if (response.headers.get('content-type')?.startsWith('application/json')) JSON.parse(text)
        else expect(text).toMatch(streamEnd ?? 'no stream here')
      }),
      { numRuns: cases, includeErrorInReport: true },
    )
    // Enough bodies were answered, and enough were refused.
    expect(statuses.get(200) ?? 0).toBeGreaterThan(cases / 10)
    expect(statuses.get(400) ?? 0).toBeGreaterThan(cases / 10)
    for (const status of server.pool.status()) {
      // Some bodies unload an idle model.
      expect(status).toMatchObject({ lastExit: undefined, failedLoad: undefined, running: 0, waiting: 0 })
    }
    for (const body of bodies) expect((await server.post(path, body)).status).toBe(200)
  },
  60_000,
)
