/** Answers of the starter model at its wildest against the schemas as they were sent, judged by a validator. */
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
  ['formats', object({ a: { type: 'string', format: 'time' }, b: { type: 'string', format: 'uuid' } })],
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
      const response = await fetch(`${served.baseUrl}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${served.key}` },
        body: JSON.stringify({
          model: 'inferd/starter-chat',
          messages: [{ role: 'user', content: 'Hello!' }],
          temperature: 2,
          top_k: 0,
          top_p: 1,
          min_p: 0,
          seed,
          max_tokens: 400,
          response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } },
        }),
      })
      const body = (await response.json()) as { choices?: { finish_reason: string; message: { content: string } }[] } // our own
      const [choice] = body.choices ?? []
      if (choice === undefined) throw new Error(JSON.stringify(body))
      if (choice.finish_reason === 'length') continue
      whole++
      const answer: unknown = JSON.parse(choice.message.content)
      expect({ answer, errors: isValid(answer) ? [] : isValid.errors }).toEqual({ answer, errors: [] })
    }
    expect(whole).toBeGreaterThan(0)
  },
  60_000,
)
