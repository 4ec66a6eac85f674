/** Tools of chat/completions requests on their whole way to the grammar converter. */
import { expect, test } from 'bun:test'
import type { Tool } from '../../../core/chat.ts'
import { rejectionOf } from '../../../testing/refusal.ts'
import { translatedRequest } from '../../../testing/translated-schema.ts'
import { parseChatCompletion } from '../../../wire/chat-completions/parse-request.ts'

async function translated(tools: unknown): Promise<readonly Tool[]> {
  const { request } = parseChatCompletion({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], tools })
  return (await translatedRequest(request)).tools
}

function toolWith(parameters: object, name = 'f', strict = false): object {
  return { type: 'function', function: { name, parameters, strict } }
}

test.each<[string, object, object]>([
  ['an object of any kind', { type: 'object' }, { type: 'object', properties: {}, additionalProperties: true }],
  ['no type', { properties: {} }, { type: 'object', properties: {} }],
  ['nothing', {}, { type: 'object', properties: {} }],
  [
    'a reference',
    { $ref: '#/$defs/A', $defs: { A: { type: 'object', properties: { a: {} } } } },
    { type: 'object', properties: { a: {} } },
  ],
])('%s becomes an object with properties', async (_, parameters, expected) => {
  const [tool] = await translated([toolWith(parameters)])
  expect(tool?.parameters).toMatchObject(expected)
  expect(tool).not.toHaveProperty('parametersOrigin')
})

test('tools of the server itself are left as they are', async () => {
  const [tool] = await translated([{ type: 'custom', custom: { name: 'patch' } }])
  expect(Object.keys(Object(tool?.parameters.properties))).toEqual(['input'])
  expect(JSON.stringify(tool?.parameters)).toStartWith('{"type":"object","properties":{"input":{"type":"string"')
})

test('arguments that are no object are refused with their place when strict', async () => {
  expect((await translated([toolWith({ type: 'string', description: 'D' })]))[0]?.parameters).toEqual({
    ...{ type: 'object', properties: {}, additionalProperties: true },
    description: 'D',
  })
  expect(await rejectionOf(translated([toolWith({ type: 'string' }, 'f', true)]))).toEqual({
    kind: 'invalid_request',
    code: 'invalid_schema',
    param: 'tools[0].function.parameters',
  })
})

test('strict parameters are refused where they cannot be held', async () => {
  const parameters = { type: 'object', properties: { a: { type: 'array', contains: {} }, b: { not: {} } } }
  expect(await rejectionOf(translated([toolWith({}), toolWith(parameters, 'g', true)]))).toMatchObject({
    code: 'invalid_schema',
    param: 'tools[1].function.parameters',
  })
  expect((await translated([toolWith(parameters)]))[0]?.parameters).toEqual({
    type: 'object',
    properties: { a: { type: 'array' } },
  })
})

test('schemas that are long only when joined get an outline, or are refused for their size when strict', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`p${index}`, { description: 'x'.repeat(2_000) }]),
  )
  const anyOf = Array.from({ length: 5 }, (_, index) => ({ required: [`p${index}`] }))
  const offer = (isStrict: boolean, ...names: string[]) =>
    translated(names.map((name) => toolWith({ properties, anyOf }, name, isStrict)))
  expect(await rejectionOf(offer(true, 'a', 'b'))).toBeUndefined()
  const tooMany = offer(true, 'a', 'b', 'c', 'd', 'e')
  expect(await rejectionOf(tooMany)).toMatchObject({ code: 'invalid_value', param: 'tools' })
  const [first, , , , last] = await offer(false, 'a', 'b', 'c', 'd', 'e')
  expect(JSON.stringify(first?.parameters).length).toBeGreaterThan(200_000)
  expect(Object.keys(Object(last?.parameters.properties))).toHaveLength(20)
  expect(JSON.stringify(last?.parameters).length).toBeLessThan(5_000)
})

test.each<[string, () => object]>([
  ['many long descriptions', () => ({ type: 'object', description: 'x'.repeat(50_000) })],
  ['many wide schemas', () => wide(8, 250)],
])('tools with %s are refused quickly', async (_, parameters) => {
  const startMs = performance.now()
  const refusal = rejectionOf(
    translated(Array.from({ length: 1_000 }, (_, index) => toolWith(parameters(), `f${index}`))),
  )
  expect((await refusal)?.kind).toBe('invalid_request')
  expect(performance.now() - startMs).toBeLessThan(2_000)
})

test('many short tools that say much are taken quickly', async () => {
  const parameters = { ...wide(1, 40), anyOf: Array.from({ length: 40 }, (_, index) => ({ required: [`p${index}`] })) }
  const many = Array.from({ length: 1_000 }, (_, index) => toolWith(parameters, `f${index}`))
  expect(await translated(many)).toHaveLength(1_000)
})

test('a large schema lets other work continue', async () => {
  let turns = 0
  const others = setInterval(() => turns++, 1)
  const parameters = { allOf: Array.from({ length: 200 }, (_, index) => wide(1, 1 + (index % 20))) }
  await translated(Array.from({ length: 20 }, (_, index) => toolWith(parameters, `f${index}`)))
  clearInterval(others)
  expect(turns).toBeGreaterThan(3)
})

function wide(outer: number, inner: number): object {
  const members = (count: number, member: object) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, member]))
  return { type: 'object', properties: members(outer, { type: 'object', properties: members(inner, {}) }) }
}
