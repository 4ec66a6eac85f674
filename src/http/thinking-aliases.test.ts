/** Two names of one model, one with thinking and one without, against every way in which a request can set thinking. */
import { afterAll, describe, expect, test } from 'bun:test'
import type { ChatRequest } from '../core/chat.ts'
import { startTestServer } from '../testing/test-server.ts'

const server = startTestServer({
  models: {
    'test/thinker': {
      manifest: {
        aliases: [{ id: 'legacy-chat', reasoning: 'off' }, { id: 'legacy-reasoner', reasoning: 'on' }, { id: 'plain' }],
      },
    },
    'test/quiet': { manifest: { defaults: { reasoning: 'off' } } },
  },
})
afterAll(() => server[Symbol.asyncDispose]())

const messages = [{ role: 'user', content: JSON.stringify({ script: [{ echoRequest: true }] }) }]

/** Returns the thinking mode that reaches the engine. */
async function mode(model: string, fields: object): Promise<string | undefined> {
  const answer = await server.post('/v1/chat/completions', { model, messages, ...fields })
  const { choices } = (await answer.json()) as { choices: { message: { content: string } }[] } // our own answer
  const request: ChatRequest = JSON.parse(choices[0]?.message.content ?? '')
  return request.reasoning.mode
}

type Mode = 'off' | 'on' | undefined

describe.each<[string, object, Record<string, Mode>]>([
  ['no field', {}, { 'legacy-chat': 'off', 'legacy-reasoner': 'on', plain: undefined, 'test/quiet': 'off' }],
  [
    'effort none',
    { reasoning_effort: 'none' },
    { 'legacy-chat': 'off', 'legacy-reasoner': 'off', plain: 'off', 'test/quiet': 'off' },
  ],
  [
    'effort low',
    { reasoning_effort: 'low' },
    { 'legacy-chat': 'on', 'legacy-reasoner': 'on', plain: 'on', 'test/quiet': 'on' },
  ],
  [
    'reasoning.enabled true',
    { reasoning: { enabled: true } },
    { 'legacy-chat': 'on', 'legacy-reasoner': 'on', plain: 'on', 'test/quiet': 'on' },
  ],
  [
    'reasoning.enabled false',
    { reasoning: { enabled: false } },
    { 'legacy-chat': 'off', 'legacy-reasoner': 'off', plain: 'off', 'test/quiet': 'off' },
  ],
  [
    'a budget alone',
    { reasoning: { max_tokens: 50 } },
    { 'legacy-chat': 'off', 'legacy-reasoner': 'on', plain: undefined, 'test/quiet': 'off' },
  ],
  [
    'a wish to the template for thinking',
    { chat_template_kwargs: { enable_thinking: true } },
    { 'legacy-chat': 'off', 'legacy-reasoner': 'on', plain: 'on', 'test/quiet': 'on' },
  ],
  [
    'a wish to the template for none',
    { enable_thinking: false },
    { 'legacy-chat': 'off', 'legacy-reasoner': 'on', plain: 'off', 'test/quiet': 'off' },
  ],
])('edge case 20: with %s', (_, fields, expected) => {
  test.each(Object.entries(expected))('%s thinks: %p', async (model, wanted) => {
    expect(await mode(model, fields)).toBe(wanted)
  })
})

test('edge case 20: both names are listed', async () => {
  const answer = await fetch(`${server.baseUrl}/models`)
  const { data } = (await answer.json()) as { data: { id: string; canonical: string }[] } // our own answer
  const ids = data.filter((row) => row.canonical === 'test/thinker').map((row) => row.id)
  expect(ids).toEqual(['test/thinker', 'legacy-chat', 'legacy-reasoner', 'plain'])
})
