import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { startTestServer } from '../testing/test-server.ts'

const server = startTestServer()
afterAll(() => server[Symbol.asyncDispose]())

const cases = 1_000
/** Answers are short; anything that needs longer hangs. */
const hangsAfterMs = 10_000

const oddValue = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.double(),
  fc.constantFrom(null, '', 0, -1, [], {}, '__proto__'),
)

function mostly<Usual, Odd>(usual: fc.Arbitrary<Usual>, odd: fc.Arbitrary<Odd>): fc.Arbitrary<Usual | Odd> {
  return fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: odd })
}

const part = fc.record(
  { type: fc.constantFrom('text', 'refusal', 'image_url', 'file', 'other'), text: oddValue, refusal: oddValue },
  { requiredKeys: [] },
)
const message = fc.record(
  {
    role: mostly(fc.constantFrom('system', 'developer', 'user', 'assistant', 'tool', 'function'), oddValue),
    content: mostly(
      fc.string({ unit: 'binary' }),
      fc.oneof(fc.array(fc.oneof(part, oddValue), { maxLength: 3 }), oddValue),
    ),
    name: mostly(fc.string(), oddValue),
    tool_calls: mostly(fc.constantFrom(null, []), oddValue),
    reasoning_content: oddValue,
  },
  { requiredKeys: ['role', 'content'] },
)
const known = ['stream', 'stream_options', 'max_tokens', 'n', 'temperature', 'top_p', 'top_k', 'min_p', 'logit_bias']
const others = [
  'seed',
  'logprobs',
  'top_logprobs',
  'stop',
  'tools',
  'tool_choice',
  'response_format',
  'reasoning',
  'user',
]
const settings = fc.dictionary(fc.oneof(fc.constantFrom(...known, ...others), fc.string()), oddValue, { maxKeys: 2 })

const body = fc.oneof(
  { weight: 1, arbitrary: oddValue },
  {
    weight: 9,
    arbitrary: fc
      .tuple(
        fc.record(
          {
            model: mostly(fc.constant('fake'), oddValue),
            messages: mostly(fc.array(message, { maxLength: 4 }), oddValue),
          },
          { requiredKeys: ['model', 'messages'] },
        ),
        settings,
      )
      .map(([required, rest]) => ({ ...rest, ...required })),
  },
)

test('no body whatever makes the server fail or hang', async () => {
  const statuses = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(body, async (value) => {
      const response = await fetch(`${server.baseUrl}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.keys.valid}`, 'content-type': 'application/json' },
        body: JSON.stringify(value) ?? '',
        signal: AbortSignal.timeout(hangsAfterMs),
      })
      const text = await response.text()
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      expect([200, 400, 404]).toContain(response.status)
      expect(text).not.toContain('internal_error')
      if (response.status !== 200) expect(JSON.parse(text).error.code).toBeString()
    }),
    { numRuns: cases },
  )
  // Both sides were tried: bodies that are answered and bodies that are not.
  expect(statuses.get(200) ?? 0).toBeGreaterThan(cases / 20)
  expect(statuses.get(400) ?? 0).toBeGreaterThan(cases / 10)
}, 60_000)
