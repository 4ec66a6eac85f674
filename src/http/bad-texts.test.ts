/** Embeddings and rerank refuse bodies that are too deep, too large or odd: at once, and with the place. */
import { afterAll, describe, expect, test } from 'bun:test'
import { play, type Scenario } from '../testing/scenario.ts'
import { startTestServer } from '../testing/test-server.ts'
import { textModels } from '../testing/text-models.ts'
import { textsEndpoints } from '../testing/texts-endpoints.ts'

const server = startTestServer({
  models: {
    ...textModels,
    'test/absent': { manifest: { type: 'embedding' }, status: { kind: 'available' } },
    'test/broken': { manifest: { type: 'rerank' }, status: { kind: 'broken', reason: 'model.onnx ends too early' } },
  },
})
afterAll(() => server[Symbol.asyncDispose]())

const embeddings = '/v1/embeddings'
const rerank = '/v1/rerank'
const documents = ['a', 'b']
const notInstalled = { status: 404, code: 'model_not_found', param: 'model' } as const
const unavailable = { status: 503, code: 'model_unavailable', param: 'model' } as const
const mismatch = { status: 400, code: 'model_type_mismatch', param: 'model' } as const

const scenarios: readonly Scenario[] = [
  { name: 'GET of embeddings', path: embeddings, status: 405, code: 'method_not_allowed' },
  { name: 'GET of rerank', path: rerank, status: 405, code: 'method_not_allowed' },
  { name: 'a slash behind', path: `${embeddings}/`, body: { model: 'embedder', input: 'a' }, status: 200 },
  {
    name: 'the other prefix',
    path: `/openai${rerank}`,
    body: { model: 'reranker', query: 'a', documents },
    status: 200,
  },
  { name: 'a preflight', method: 'OPTIONS', path: embeddings, as: 'guest', status: 204 },
  { name: 'a model without files', path: embeddings, body: { model: 'test/absent', input: 'a' }, ...notInstalled },
  { name: 'a broken model', path: rerank, body: { model: 'test/broken', query: 'a', documents }, ...unavailable },
  {
    name: 'a chat model for vectors',
    path: embeddings,
    body: { model: 'fake', input: 'a' },
    ...mismatch,
    contains: ["Model 'test/fake' is of type 'chat'; embeddings needs one of type embedding."],
  },
  {
    name: 'an embedder for scores, before the other fields',
    path: rerank,
    body: { model: 'embedder', query: 7 },
    ...mismatch,
    contains: ["Model 'test/embedder' is of type 'embedding'; rerank needs one of type rerank."],
  },
  {
    name: 'an embedder for chats',
    path: '/v1/chat/completions',
    body: { model: 'embedder', messages: [{ role: 'user', content: 'a' }] },
    ...mismatch,
  },
  {
    name: 'an unknown model before the input',
    path: embeddings,
    body: { model: 'no/such', input: 7 },
    status: 404,
    code: 'model_not_found',
    param: 'model',
  },
  {
    name: 'no input',
    path: embeddings,
    body: { model: 'embedder' },
    status: 400,
    code: 'missing_required_parameter',
    param: 'input',
    contains: ["'input' is required: it must be a text or an array of texts."],
  },
  {
    name: 'the input before the files',
    path: embeddings,
    body: { model: 'test/absent', input: '' },
    status: 400,
    code: 'invalid_value',
    param: 'input',
  },
  {
    name: 'more dimensions than there are',
    path: embeddings,
    body: { model: 'embedder', input: 'a', dimensions: 9 },
    status: 400,
    code: 'invalid_value',
    param: 'dimensions',
    contains: ["'dimensions' must be at most 8: the vectors of model 'test/embedder' have no more."],
  },
  {
    name: 'too many texts',
    path: embeddings,
    body: { model: 'embedder', input: Array(1025).fill('a') },
    status: 413,
    code: 'too_many_inputs',
    param: 'input',
    contains: ["'input' has 1025 texts, and a request may have 1024."],
  },
]

for (const scenario of scenarios) test(scenario.name, () => play(server, scenario))

/** Time after which a request counts as hanging: far more than any here needs, far less than a client waits. */
const hangsAfterMs = 5_000

async function post(path: string, body: string) {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.keys.valid}`, 'content-type': 'application/json' },
    body,
    signal: AbortSignal.timeout(hangsAfterMs),
  })
  return { status: response.status, text: await response.text() }
}

describe.each(textsEndpoints)('$path', ({ path, body, readError }) => {
  const at = (value: string, replacement: string) => JSON.stringify(body).replace(`"${value}"`, replacement)
  const fields = [
    'model',
    'input',
    'texts',
    'inputs',
    'query',
    'documents',
    'dimensions',
    'top_n',
    'rank_fields',
    'input_type',
  ]
  /** Field that holds the texts */
  const field = ['input', 'texts', 'documents'].find((name) => name in body) ?? ''

  test('fields nested deep', async () => {
    for (const field of fields) {
      const deep = (levels: number) => {
        const value = '['.repeat(levels) + ']'.repeat(levels)
        return JSON.stringify({ ...body, [field]: 'here' }).replace('"here"', value)
      }
      const odd = await post(path, deep(900))
      expect([200, 400]).toContain(odd.status)
      if (odd.status === 400) readError(odd.text)
      expect(readError((await post(path, deep(100_000))).text).code).toBe('invalid_json')
    }
  })

  test('a hundred thousand entries', async () => {
    const many = `[${'"a",'.repeat(1_000_000)}"a"]`
    const { status, text } = await post(path, JSON.stringify({ ...body, [field]: 'here' }).replace('"here"', many))
    expect(status).toBe(field === 'documents' ? 400 : 413)
    expect(readError(text)).toMatchObject({ param: field, code: expect.stringMatching(/^too_many_/) })
  })

  test('no model', async () => {
    expect(readError((await post(path, at(String(body.model), '7'))).text)).toMatchObject({ param: 'model' })
    expect(readError((await post(path, at(String(body.model), 'null'))).text)).toMatchObject({ param: 'model' })
  })

  test('odd texts are texts like others', async () => {
    const odd = ['\u0000', '\u200b', '\ud83d', '👩‍👩‍👧‍👦', '\r\n', 'x'.repeat(100_000)]
    for (const text of odd) {
      const fields = field === 'documents' ? { query: text, documents: [text, { text }] } : { [field]: [text] }
      const { status } = await post(path, JSON.stringify({ ...body, ...fields }))
      expect([text.slice(0, 5), status]).toEqual([text.slice(0, 5), 200])
    }
  })
})

test('a million token ids are told to be too many without asking the engine', async () => {
  const ids = `[${'1,'.repeat(1_000_000)}1]`
  const { status, text } = await post(embeddings, `{"model":"embedder","input":${ids}}`)
  expect(status).toBe(400)
  expect(JSON.parse(text)).toMatchObject({ error: { code: 'context_length_exceeded', param: 'input' } })
})

test('after all this the server has nothing left to do', () => {
  for (const status of server.pool.status()) {
    expect(status).toMatchObject({ state: 'ready', restarts: 0, running: 0, waiting: 0 })
  }
})
