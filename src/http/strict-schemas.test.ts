/** A validator checks answers of the starter model, sampled as randomly as possible, against the schemas as sent. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { type ServedProcess, startServedProcess } from '../testing/served-process.ts'

let served: ServedProcess
beforeAll(async () => {
  served = await startServedProcess()
}, 60_000)
afterAll(() => served[Symbol.asyncDispose](), 60_000)

const validator = new Ajv2020({ strict: false })
addFormats(validator)

const short = { type: 'string', maxLength: 5 }

function format(name: string): object {
  return { type: 'string', format: name }
}

function object(properties: object, more: object = {}): object {
  return { type: 'object', properties, required: Object.keys(properties), ...more }
}

test.each<[string, object]>([
  [
    'references',
    { ...object({ a: { $ref: '#/$defs/A' }, b: { $ref: '#/$defs/A' } }), $defs: { A: { enum: [1, 'x'] } } },
  ],
  [
    'recursion',
    {
      $ref: '#/definitions/N~1ode',
      definitions: {
        'N/ode': object({
          n: { type: 'integer', minimum: 0, maximum: 3 },
          next: { anyOf: [{ type: 'null' }, { $ref: '#/definitions/N~1ode' }] },
        }),
      },
    },
  ],
  [
    'enum, const and null',
    object({ a: { enum: ['x', 2, null, { y: [true] }] }, b: { const: 'ok' }, c: { type: ['boolean', 'null'] } }),
  ],
  [
    'bounds',
    object({
      a: { type: 'integer', minimum: 105 },
      b: { type: 'integer', maximum: -7 },
      c: { type: 'integer', minimum: 5_000_000_000_000_000 },
      d: { type: 'integer', exclusiveMinimum: -12, exclusiveMaximum: 34 },
      e: { type: 'integer', minimum: -9007199254740990, maximum: 9007199254740990 },
      f: { type: 'integer', minimum: 0.5, maximum: 1.5 },
    }),
  ],
  [
    'lists',
    object({
      a: { type: 'array', items: { type: 'boolean' }, minItems: 2, maxItems: 3 },
      b: { type: 'array', items: { type: 'array', items: { const: 1 }, maxItems: 2 }, maxItems: 2 },
    }),
  ],
  [
    'tuples',
    object({
      a: { type: 'array', prefixItems: [{ const: 1 }, { const: 2 }], items: { const: 3 }, minItems: 3, maxItems: 4 },
    }),
  ],
  ['lengths', object({ a: { type: 'string', minLength: 3, maxLength: 6 }, b: { type: 'string', maxLength: 0 } })],
  [
    'patterns',
    object({
      a: { type: 'string', pattern: '^[A-Z]{2}-\\d{3,4}$' },
      b: { type: 'string', pattern: '^v\\d\\.(?:0|[1-9]\\d?)(?:-(alpha|beta))?$' },
      c: { type: 'string', pattern: '^.{2,8}$' },
      d: { type: 'string', pattern: '^[^a-z\\d]{3}$' },
      e: { type: 'string', pattern: '^(?:"\\\\|\\t){2}$' },
      f: { type: 'string', pattern: '^[\\w.]+$', minLength: 2, maxLength: 5 },
      g: { type: 'string', pattern: '^$' },
      h: { type: 'string', pattern: '^a|^b$' },
    }),
  ],
  [
    'bounds of fractions',
    object({
      a: { type: 'number', minimum: 0, maximum: 1 },
      b: { type: 'number', exclusiveMinimum: -12.5, exclusiveMaximum: 0.25 },
      c: { type: ['number', 'null'], minimum: 0.5, maximum: 0.5 },
      d: { type: 'array', items: { type: 'number', maximum: -1 }, minItems: 2, maxItems: 2 },
      e: { type: 'number', exclusiveMinimum: 0 },
    }),
  ],
  [
    'multiples',
    object({
      a: { type: 'integer', multipleOf: 5, minimum: 0, maximum: 100 },
      b: { type: 'integer', multipleOf: 7 },
      c: { type: 'number', multipleOf: 0.5, minimum: -1 },
      d: { type: 'integer', multipleOf: 1000, exclusiveMinimum: 0 },
    }),
  ],
  ['times', object({ a: format('time'), b: format('date'), c: format('date-time'), d: format('duration') })],
  ['addresses', object({ a: format('email'), b: format('hostname'), c: format('ipv4'), d: format('ipv6') })],
  ['identifiers', object({ a: format('uuid'), b: { type: ['string', 'null'], format: 'uuid' } })],
  [
    'allOf',
    {
      allOf: [{ $ref: '#/$defs/Base' }, object({ x: short, id: { maximum: 5 } })],
      $defs: { Base: object({ id: { type: 'integer', minimum: 3 } }) },
    },
  ],
  [
    'choices beside constraints',
    {
      ...object({ kind: { enum: ['a', 'b'] } }),
      anyOf: [
        object({ kind: { const: 'a' }, size: { type: 'integer', minimum: 1, maximum: 3 } }),
        object({ kind: { const: 'b' }, open: { type: 'boolean' } }),
      ],
    },
  ],
  [
    'required without properties',
    { type: 'object', required: ['a'], properties: { b: { const: 1 } }, additionalProperties: { type: 'boolean' } },
  ],
  [
    'odd names',
    object({
      'a b"c': { const: 1 },
      'größe/\\': { const: 2 },
      __proto__x: { const: 3 },
      root: { const: 4 },
      value: { const: 5 },
    }),
  ],
])(
  '%s hold',
  async (_, schema) => {
    const isValid = validator.compile(schema)
    let whole = 0
    for (const seed of [1, 2, 3, 4]) {
      const { isWhole, message } = await complete('Hello!', {
        ...{ temperature: 2, top_k: 0, top_p: 1, min_p: 0, seed, max_tokens: 400 },
        response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } },
      })
      if (!isWhole) continue
      whole++
      const answer: unknown = JSON.parse(message.content)
      expect({ answer, errors: isValid(answer) ? [] : isValid.errors }).toEqual({ answer, errors: [] })
    }
    expect(whole).toBeGreaterThan(0)
  },
  60_000,
)

test('arguments of tools hold to bounds, multiples and formats, whether a call is forced or chosen', async () => {
  const parameters = object(
    {
      share: { type: 'number', minimum: 0, maximum: 1 },
      minutes: { type: 'integer', multipleOf: 15, minimum: 15, maximum: 90 },
      day: format('date'),
    },
    { additionalProperties: false },
  )
  const isValid = validator.compile(parameters)
  const tool = { type: 'function', function: { name: 'plan', description: 'Plans a day.', parameters, strict: true } }
  for (const tool_choice of ['required', 'auto']) {
    let calls = 0
    for (const seed of [1, 2, 3, 4]) {
      const { isWhole, message } = await complete(
        'Use the tool plan to plan my day: 2024-02-29, 30 minutes, share 0.5.',
        {
          ...{ temperature: tool_choice === 'auto' ? 0.3 : 1.5, reasoning_effort: 'none', seed, max_tokens: 300 },
          ...{ tools: [tool], tool_choice },
        },
      )
      if (!isWhole) continue
      for (const { function: called } of message.tool_calls ?? []) {
        calls++
        const args: unknown = JSON.parse(called.arguments)
        expect({ args, errors: isValid(args) ? [] : isValid.errors }).toEqual({ args, errors: [] })
      }
    }
    expect([tool_choice, calls > 0]).toEqual([tool_choice, true])
  }
}, 60_000)

interface Message {
  readonly content: string
  readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[]
}

/** Returns the only message of a chat's answer, and whether it ended before its limit. */
async function complete(content: string, fields: object): Promise<{ isWhole: boolean; message: Message }> {
  const response = await fetch(`${served.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${served.key}` },
    body: JSON.stringify({ model: 'inferd/starter-chat', messages: [{ role: 'user', content }], ...fields }),
  })
  const body = (await response.json()) as { choices?: { finish_reason: string; message: Message }[] } // our own
  const [choice] = body.choices ?? []
  if (choice === undefined) throw new Error(JSON.stringify(body))
  return { isWhole: choice.finish_reason !== 'length', message: choice.message }
}
