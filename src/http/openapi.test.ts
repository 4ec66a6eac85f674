import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { startTestServer } from '../testing/test-server.ts'
import { chatCompletionsDialect } from '../wire/chat-completions/dialect.ts'
import { messagesDialect } from '../wire/messages/dialect.ts'
import { responsesDialect } from '../wire/responses/dialect.ts'
import { allowedMethods } from './path-rules.ts'
import { routes } from './routes.ts'

const server = startTestServer({ config: { version: '1.2.3' } })
afterAll(() => server[Symbol.asyncDispose]())

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly security: readonly Record<string, readonly string[]>[]
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[]
  readonly requestBody?: { readonly content: Record<string, { readonly schema: object }> }
  readonly responses: Record<string, { readonly $ref?: string }>
}

const text = await (await fetch(`${server.url}/openapi.json`)).text()
const document = JSON.parse(text)
const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, operation })),
)

const ajv = new Ajv2020({ strict: true, allErrors: true, formats: {} })
ajv.addVocabulary(Object.keys(document))
ajv.addSchema(document, 'openapi')

/** Tells whether an operation takes the body. */
function accepts(name: string, body: unknown): boolean {
  const path = name.split(' ')[1]?.replaceAll('~', '~0').replaceAll('/', '~1')
  return ajv.validate({ $ref: `openapi#/paths/${path}/post/requestBody/content/application~1json/schema` }, body)
}

test('the document says what it is, and where', () => {
  expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'inferd', version: '1.2.3' } })
  expect(document.servers).toEqual([{ url: server.url }])
})

test('clients that know the base URL alone find it too', async () => {
  for (const prefix of ['/v1', '/openai/v1']) {
    expect(await (await fetch(`${server.url}${prefix}/openapi.json`)).text()).toBe(text)
  }
})

test('it lists every route with a summary, and nothing that is not served', () => {
  const summarised = routes.filter(({ summary }) => summary !== undefined)
  expect(operations.map(({ name }) => name).sort()).toEqual(
    summarised.map(({ method, path }) => `${method} ${path.replace('*', '{id}')}`).sort(),
  )
  for (const { name, path } of operations) {
    expect(allowedMethods(routes, path.replace('{id}', 'x'))).toContain(name.split(' ')[0] ?? '')
  }
})

test('every reference in it leads somewhere', () => {
  const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, place = '']) => place)
  expect(references.length).toBeGreaterThan(0)
  for (const place of references) {
    expect(place.split('/').reduce((value, step) => value?.[step], document)).toBeDefined()
  }
})

describe.each(operations)('$name', ({ path, operation }) => {
  test('has a summary, a name of its own, answers and errors', () => {
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/)
    expect(operation.operationId).toMatch(/^[a-z]+(_\w+)?$/)
    expect(operations.filter((other) => other.operation.operationId === operation.operationId)).toHaveLength(1)
    expect(Object.keys(operation.responses)).toEqual(['2XX', 'default'])
  })

  test('declares the parameters of its path', () => {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true }))
    const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
    expect(declared).toEqual(inPath.map((parameter) => expect.objectContaining(parameter)))
  })

  test('names security schemes that are defined', () => {
    const schemes = operation.security.flatMap((scheme) => Object.keys(scheme))
    expect(schemes.filter((scheme) => !(scheme in document.components.securitySchemes))).toEqual([])
  })

  test('has a valid schema of its body', () => {
    for (const { schema } of Object.values(operation.requestBody?.content ?? {})) {
      expect(ajv.validateSchema(schema)).toBe(true)
    }
  })
})

test.each([
  ['POST /v1/chat/completions', { model: 'a', messages: [{}] }, { messages: [{}] }],
  ['POST /v1/responses', { model: 'a', input: 'hi' }, { model: 'a', stream: 'yes' }],
  ['POST /v1/messages', { model: 'a', messages: [{}], max_tokens: 5 }, { model: 'a', messages: [{}] }],
  ['POST /v1/embeddings', { model: 'a', input: 'hi' }, { model: 'a', input: 'hi', dimensions: 0 }],
  ['POST /v1/rerank', { model: 'a', query: 'q', documents: [] }, { model: 'a', query: 'q' }],
  ['POST /v1/embed', { model: 'a', texts: ['x'] }, { model: 'a', texts: 'x' }],
  ['POST /v2/embed', { model: 'a', texts: ['x'], input_type: 'clustering' }, { model: 'a', texts: ['x'] }],
  ['POST /v2/rerank', { model: 'a', query: 'q', documents: [] }, { model: 'a', documents: [] }],
  ['POST /v1/signup', { email: 'a@b.c' }, {}],
  ['POST /dashboard/api/sign-in', { email: 'a@b.c', password: 'x' }, { email: 'a@b.c' }],
])('%s takes the bodies that its schema takes', (name, good, bad) => {
  expect([accepts(name, good), accepts(name, bad)]).toEqual([true, false])
})

test('a body with a recording is a form that has it', () => {
  const operation = operations.find(({ name }) => name === 'POST /v1/audio/transcriptions')?.operation
  const [[type, content] = []] = Object.entries(operation?.requestBody?.content ?? {})
  expect(type).toBe('multipart/form-data')
  expect(content?.schema).toMatchObject({
    properties: { file: { contentMediaType: 'application/octet-stream' }, diarize: { type: 'boolean' } },
    required: ['model', 'file'],
  })
})

test('what errors look like is what is sent', async () => {
  for (const [path, name] of [
    ['/v1/models/no/such', 'Error'],
    ['/v1/messages', 'MessagesError'],
    ['/v2/embed', 'CohereError'],
  ]) {
    const error = Object(await (await fetch(server.url + path)).json())
    const schema = { $ref: `openapi#/components/responses/${name}/content/application~1json/schema` }
    expect(ajv.validate(schema, error)).toBe(true)
    const code = 'no_such_code'
    const other = error.error === undefined ? { ...error, code } : { ...error, error: { ...error.error, code } }
    expect(ajv.validate(schema, other)).toBe(false)
  }
})

test('each format names its own errors', () => {
  const errorsOf = (name: string) =>
    operations.find((operation) => operation.name === name)?.operation.responses.default?.$ref
  expect(errorsOf('POST /v1/messages/count_tokens')).toBe('#/components/responses/MessagesError')
  expect(errorsOf('POST /v2/rerank')).toBe('#/components/responses/CohereError')
  expect(errorsOf('POST /v1/responses')).toBe('#/components/responses/Error')
})

test('who needs a key is said', () => {
  const securityOf = (name: string) => operations.find((operation) => operation.name === name)?.operation.security
  expect(securityOf('GET /v1/models')).toEqual([])
  expect(securityOf('POST /v1/chat/completions')).toEqual([{ apiKey: [] }])
  expect(securityOf('POST /v1/messages/count_tokens')).toEqual([{ apiKey: [] }, { apiKeyHeader: [] }])
  expect(securityOf('POST /dashboard/api/operations/{id}')).toEqual([{ session: [] }, { secureSession: [] }])
})

test('the page of routes lists the same', async () => {
  const page = await (await fetch(`${server.url}/docs`)).text()
  for (const { name } of operations) expect(page).toContain(`<code>${name}</code>`)
})

test('docs/reference/routes.md lists every route', () => {
  const page = readFileSync(new URL('../../docs/reference/routes.md', import.meta.url), 'utf8')
  expect(operations.filter(({ name }) => !page.includes(`\`${name}\``)).map(({ name }) => name)).toEqual([])
})

test.each([
  ['/v1/chat/completions', 'messages', chatCompletionsDialect],
  ['/v1/responses', 'input', responsesDialect],
  ['/v1/messages', 'messages', messagesDialect],
])('%s: the examples show a picture, and can be sent', (path, field, dialect) => {
  const { schema } = document.paths[path].post.requestBody.content['application/json']
  const { examples } = schema.properties[field]
  const messages = examples.flatMap(
    (value: unknown) => dialect.parse({ model: 'm', max_tokens: 5, [field]: value }).request.messages,
  )
  expect(JSON.stringify(messages)).toContain('"sent-image"')
})
