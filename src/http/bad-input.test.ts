/** Bodies that are too deep, too large or out of order are refused in every dialect: with the place, and at once. */
import { afterAll, describe, expect, test } from 'bun:test'
import { type BodyParts, type DialectEndpoint, dialectEndpoints } from '../testing/dialect-endpoints.ts'
import { startServedProcess } from '../testing/served-process.ts'
import { startTestServer } from '../testing/test-server.ts'

const server = startTestServer()
afterAll(() => server[Symbol.asyncDispose]())

/** Time after which a request counts as hanging: far more than any here needs, far less than a client waits. */
const hangsAfterMs = 5_000

interface Refusal {
  /** Absent if any code for an invalid field will do. */
  readonly code?: string
  /** Place of the fault, in any dialect's spelling. Left out for the body as a whole. */
  readonly param?: RegExp
}

/** Placeholder for a deeply nested value */
const deep = '@deep@'
/** Nesting that is forbidden, and nesting that is allowed but deeper than any dialect needs */
const [forbiddenDepth, oddDepth] = [100_000, 900]

async function post(url: string, key: string, { path }: DialectEndpoint, body: string, timeoutMs = hangsAfterMs) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
    signal: AbortSignal.timeout(timeoutMs),
  })
  return { status: response.status, text: await response.text() }
}

async function expectRefusal(endpoint: DialectEndpoint, body: string, { code, param }: Refusal): Promise<void> {
  const { status, text } = await post(server.url, server.keys.valid, endpoint, body)
  expect({ status, text }).toMatchObject({ status: 400 })
  const error = endpoint.readError(text)
  expect(error.code).toMatch(code ?? /^(invalid_value|invalid_schema|missing_required_parameter)$/)
  if (param === undefined) expect(error.param).toBeNull()
  else expect(error.param).toMatch(param)
}

const atSchema = /(schema|format)$|^text$/
const inTools = /^tools/

function nestedSchema(levels: number): object {
  let schema: object = { type: 'string' }
  for (let level = 0; level < levels; level++) schema = { type: 'object', properties: { a: schema } }
  return schema
}

function tools(count: number): NonNullable<BodyParts['tools']> {
  return Array.from({ length: count }, (_, index) => ({ name: `tool_${index}`, parameters: { type: 'object' } }))
}

const circle = { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }
const manyProperties = {
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`p${index}`, { type: 'string' }])),
}

const parts: readonly (readonly [name: string, parts: BodyParts, refusal: Refusal])[] = [
  ['an answer schema nested too deep', { schema: nestedSchema(200) }, { param: atSchema }],
  ['an answer schema that is too large', { schema: manyProperties }, { param: atSchema }],
  ['an answer schema that is a list', { schema: [] }, { param: atSchema }],
  ['10,000 tools', { tools: tools(10_000) }, { param: inTools }],
  ['two tools of one name', { tools: [...tools(1), ...tools(1)] }, { code: 'tool_name_conflict', param: inTools }],
  ...['', ' ', 'a b', 'ünï', 'a"b', 'a\nb', '💥', '\ud800', 'x'.repeat(257), 7, ['a'], {}].map(
    (name) =>
      [
        `a tool named ${JSON.stringify(name).slice(0, 12)}`,
        { tools: [{ name, parameters: {} }] },
        { param: inTools },
      ] as const,
  ),
  ['parameters nested too deep', { tools: [{ name: 'a', parameters: nestedSchema(200) }] }, { param: inTools }],
  ['parameters that are too large', { tools: [{ name: 'a', parameters: manyProperties }] }, { param: inTools }],
  ['parameters that are no object', { tools: [{ name: 'a', parameters: 7 }] }, { param: inTools }],
  ['tools that are no list', { oddTools: 'all' }, { param: inTools }],
  ['a tool that is no object', { oddTools: [[]] }, { param: inTools }],
  ['no messages', { messages: [] }, { param: /^(messages|input)$/ }],
  ['messages that are a number', { messages: 7 }, { param: /^(messages|input)$/ }],
  ['messages that are no objects', { messages: [null] }, { param: /^(messages|input)\[0\]/ }],
  [
    '100,000 messages',
    { messages: Array(100_000).fill({ role: 'user', content: '' }) },
    { param: /^(messages|input)$/ },
  ],
  ['a hundred thousand content parts', { content: Array(100_000).fill({}) }, { param: /^(messages|input)/ }],
  [
    'a role that nobody knows',
    { messages: [{ role: 'owner', content: 'Hi' }] },
    { param: /^(messages|input)\[0\]\.role$/ },
  ],
  ['a content part of no type', { content: [{ text: 'Hi' }] }, { param: /\[0\]\.content\[0\]\.type$/ }],
  ['a content part that nobody knows', { content: [{ type: 'smell' }] }, { param: /\[0\]\.content\[0\]/ }],
]

const nested: readonly (readonly [name: string, parts: BodyParts, refusal: Refusal])[] = [
  ['a message', { messages: [deep] }, { param: /^(messages|input)/ }],
  ['a content part', { content: [deep] }, { param: /^(messages|input)/ }],
  ['a tool', { oddTools: [deep] }, { param: inTools }],
  ['parameters', { tools: [{ name: 'a', parameters: deep }] }, { param: inTools }],
  ['a schema', { schema: deep }, { param: atSchema }],
]

function arrays(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels)
}

function schemas(levels: number): string {
  return `${'{"items":'.repeat(levels)}{}${'}'.repeat(levels)}`
}

describe.each(dialectEndpoints)('$path', (endpoint) => {
  test.each(parts)('%s', async (_, bodyParts, refusal) => {
    await expectRefusal(endpoint, JSON.stringify(endpoint.write(bodyParts)), refusal)
  })

  test.each(nested)('%s nested deep', async (_, bodyParts, refusal) => {
    const body = JSON.stringify(endpoint.write(bodyParts))
    for (const write of [arrays, schemas]) {
      await expectRefusal(endpoint, body.replace(`"${deep}"`, write(oddDepth)), refusal)
      await expectRefusal(endpoint, body.replace(`"${deep}"`, write(forbiddenDepth)), { code: 'invalid_json' })
    }
  })

  test('a body nested deep', async () => {
    await expectRefusal(endpoint, arrays(oddDepth), {})
    await expectRefusal(endpoint, arrays(forbiddenDepth), { code: 'invalid_json' })
    await expectRefusal(endpoint, '['.repeat(forbiddenDepth), { code: 'invalid_json' })
  })

  test('an unknown field nested deep does no harm', async () => {
    const body = JSON.stringify({ ...endpoint.write({}), unknown: deep }).replace(`"${deep}"`, arrays(oddDepth))
    const { status, text } = await post(server.url, server.keys.valid, endpoint, body)
    if (status !== 200) expect(endpoint.readError(text)).toMatchObject({ param: 'unknown' })
  })

  test('a schema that refers to itself further down is fine', async () => {
    const tree = { type: 'object', properties: { child: { $ref: '#' } } }
    const body = endpoint.write({ schema: tree, tools: [{ name: 'a', parameters: tree }] })
    expect(await server.post(endpoint.path, body)).toMatchObject({ status: 200 })
  })
})

describe('blocks of messages in an order that means nothing', () => {
  const call = { type: 'tool_use', id: 't1', name: 'a', input: {} }
  const result = { type: 'tool_result', tool_use_id: 't1', content: 'x' }
  const user = { role: 'user', content: 'Hi' }

  test.each<[string, unknown[], RegExp]>([
    ['a call by the user', [{ role: 'user', content: [call] }], /^messages\[0\]\.content\[0\]/],
    ['a result by the assistant', [user, { role: 'assistant', content: [result] }], /^messages\[1\]\.content\[0\]/],
    ['an image by the assistant', [user, { role: 'assistant', content: [{ type: 'image' }] }], /^messages\[1\]/],
    ['thinking by the user', [{ role: 'user', content: [{ type: 'thinking', thinking: 'x' }] }], /^messages\[0\]/],
  ])('%s', async (_, messages, param) => {
    for (const endpoint of dialectEndpoints.filter(({ path }) => path.startsWith('/v1/messages'))) {
      await expectRefusal(endpoint, JSON.stringify(endpoint.write({ messages })), { param })
    }
  })
})

test('after all this the server has nothing left to do', async () => {
  expect(server.pool.status()).toMatchObject([{ state: 'ready', restarts: 0, running: 0, waiting: 0 }])
})

describe('with the starter model', () => {
  const megabyte = 2 ** 20
  const served = startServedProcess()
  afterAll(async () => (await served)[Symbol.asyncDispose](), 60_000)

  describe.each(dialectEndpoints)('$path', (endpoint) => {
    test.each<[string, BodyParts]>([
      ['an answer schema that refers to itself', { schema: { $ref: '#' } }],
      ['an answer schema that goes in a circle', { schema: circle }],
      ['an answer schema that refers to nothing', { schema: { $ref: '#/$defs/none' } }],
      ['an answer schema in another document', { schema: { items: { $ref: 'a.json' } } }],
      ['parameters that go in a circle', { tools: [{ name: 'a', parameters: circle }] }],
      ['parameters that are an empty list', { tools: [{ name: 'a', parameters: [] }] }],
    ])(
      '%s is left to the model',
      async (_, bodyParts) => {
        const { baseUrl, key } = await served
        const limits = { max_tokens: 8, max_output_tokens: 16, options: { num_predict: 8 } }
        const body = { ...endpoint.write({ model: 'inferd/starter-chat', ...bodyParts }), ...limits, stream: false }
        // The first one waits until the model is loaded.
        const { status, text } = await post(new URL(baseUrl).origin, key, endpoint, JSON.stringify(body), 60_000)
        expect({ status, text }).toMatchObject({ status: 200 })
      },
      60_000,
    )
  })

  test.each(dialectEndpoints)(
    '$path: 60 MB are read and said to be too long, 70 MB are too much',
    async (endpoint) => {
      const { baseUrl, key } = await served
      const write = (bytes: number) =>
        JSON.stringify(endpoint.write({ model: 'inferd/starter-chat', content: 'word '.repeat(bytes / 5) }))
      const url = new URL(baseUrl).origin
      const long = await post(url, key, endpoint, write(60 * megabyte))
      expect(long.status).toBe(400)
      expect(endpoint.readError(long.text)).toMatchObject({ code: 'context_length_exceeded' })
      const large = await post(url, key, endpoint, write(70 * megabyte))
      expect(large.status).toBe(413)
      expect(endpoint.readError(large.text)).toMatchObject({ code: 'payload_too_large', param: null })
    },
    60_000,
  )
})
