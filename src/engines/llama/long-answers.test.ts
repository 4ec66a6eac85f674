/** The cost of reading the next piece of an answer does not depend on the answer's length. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chatRequest } from '../../testing/chat-request.ts'
import { openTemplateModels, shippedTemplate, type TemplateModels } from '../../testing/template-models.ts'
import { type ReplyFormat, ReplyReader } from './answer/reply-reader.ts'
import type { NativeChatFormat } from './native.ts'
import { preparePrompt } from './prompt/prepare-prompt.ts'

let models: TemplateModels

beforeAll(async () => {
  models = await openTemplateModels()
})

afterAll(() => models.dispose())

const parameters = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    text: { type: 'string' },
    lines: { type: 'array', items: { type: 'string' } },
  },
  required: ['path'],
}

async function formatOf(template: string): Promise<NativeChatFormat> {
  const model = await models.load(shippedTemplate(template))
  const request = chatRequest({ tools: [{ name: 'write_file', parameters }], reasoning: { mode: 'on' } })
  return (await preparePrompt(model, request)).format
}

const tokens = 32_000
/** Pieces of a file that an agent writes, with everything that looks like the beginning of something else. */
const code = [
  'for',
  ' (',
  'const',
  ' ü',
  ' of',
  ' [',
  '1',
  ', ',
  '2',
  ']) {\n',
  '  if',
  ' (a <',
  ' b && c > d) ',
  '{ "y"',
  ' }\n',
  '}\n',
]
const jsonCode = code.map((piece) => JSON.stringify(piece).slice(1, -1))
const words = ['The', ' cat', ' sat', ' on', ' the', ' mat', '.\n']

interface LongAnswer {
  readonly name: string
  readonly template: string
  readonly head: string
  readonly cycle: readonly string[]
  readonly tail: string
}

const call = '{"name": "write_file", "arguments": {"path": "a", '
const long: readonly LongAnswer[] = [
  { name: 'text', template: 'Qwen-Qwen3-0.6B', head: '', cycle: words, tail: '' },
  { name: 'text full of marks', template: 'Qwen-Qwen3-0.6B', head: '', cycle: code, tail: '' },
  { name: 'thinking', template: 'Qwen-Qwen3-0.6B', head: '<think>\n', cycle: code, tail: '\n</think>\n\nDone.' },
  {
    name: 'a string in JSON',
    template: 'Qwen-Qwen3-0.6B',
    head: `<tool_call>\n${call}"text": "`,
    cycle: jsonCode,
    tail: '"}}\n</tool_call>',
  },
  {
    name: 'an array in JSON',
    template: 'Qwen-Qwen3-0.6B',
    head: `<tool_call>\n${call}"lines": ["z"`,
    cycle: [', ', '"a', 'ü', '\\"c', '"'],
    tail: ']}}\n</tool_call>',
  },
  {
    name: 'a string in tags',
    template: 'Qwen3-Coder',
    head: '<tool_call>\n<function=write_file>\n<parameter=path>\na\n</parameter>\n<parameter=text>\n',
    cycle: code,
    tail: '\n</parameter>\n</function>\n</tool_call>',
  },
  {
    name: 'a string in marks of its own',
    template: 'google-gemma-4-31B-it',
    head: '<|tool_call>call:write_file{path:<|"|>a<|"|>,text:<|"|>',
    cycle: code,
    tail: '<|"|>}<tool_call|>',
  },
  {
    name: 'a call without any marks',
    template: 'meta-llama-Llama-3.1-8B-Instruct',
    head: '{"name": "write_file", "parameters": {"path": "a", "text": "',
    cycle: jsonCode,
    tail: '"}}',
  },
]

test.each(long)('$name: the last thousand tokens cost what the first did, and all of it comes out', async (answer) => {
  const { template, head, cycle, tail } = answer
  const format = await formatOf(template)
  let parsed = 0
  const counting: ReplyFormat = {
    ...format,
    parse: (text) => {
      parsed += text.length
      return format.parse(text)
    },
  }
  const reader = new ReplyReader(counting)
  const given = { reasoning: '', text: '', 'call-start': '', 'call-arguments': '' }
  const costs: number[] = []
  let silent = 0
  let longestSilence = 0
  const push = (piece: string) => {
    const deltas = reader.push(piece)
    for (const delta of deltas) given[delta.kind] += 'text' in delta ? delta.text : delta.name
    silent = deltas.length === 0 ? silent + 1 : 0
    longestSilence = Math.max(longestSilence, silent)
  }
  push(head)
  for (let token = 0; token < tokens; token++) {
    if (token % 1000 === 0) {
      costs.push(parsed)
      parsed = 0
    }
    push(cycle[token % cycle.length] ?? '')
  }
  costs.push(parsed)
  push(tail)
  for (const delta of reader.end()) given[delta.kind] += 'text' in delta ? delta.text : delta.name

  const [, , early = 0] = costs
  expect(costs.at(-1)).toBeLessThanOrEqual(1.5 * early + 5000)
  expect(longestSilence).toBeLessThanOrEqual(32)
  const body = Array.from({ length: tokens }, (_, token) => cycle[token % cycle.length]).join('')
  const whole = format.parse(head + body + tail)
  expect(given.text === whole.content).toBe(true)
  expect(given.reasoning === whole.reasoning.trimEnd()).toBe(true)
  expect(given['call-arguments'] === (whole.toolCalls[0]?.arguments ?? '')).toBe(true)
})

describe('many calls', () => {
  test('are read one by one, at a cost that stays the same', async () => {
    const format = await formatOf('Qwen-Qwen3-0.6B')
    const pieces = [
      '<tool_call>\n',
      '{"name":',
      ' "write_file"',
      ', "arguments":',
      ' {"path"',
      ': "a',
      '.ts"',
      '}',
      '}\n',
      '</tool_call>',
      '\n',
    ]
    let parsed = 0
    const reader = new ReplyReader({
      ...format,
      parse: (text) => {
        parsed += text.length
        return format.parse(text)
      },
    })
    const costs: number[] = []
    let text = ''
    for (let number = 0; number < 400; number++) {
      if (number % 100 === 0) {
        costs.push(parsed)
        parsed = 0
      }
      for (const piece of pieces)
        for (const delta of reader.push(piece)) if (delta.kind === 'call-arguments') text += delta.text
    }
    for (const delta of reader.end()) if (delta.kind === 'call-arguments') text += delta.text
    expect(reader.calls).toBe(400)
    expect(text).toBe('{"path": "a.ts"}'.repeat(400))
    expect(parsed).toBeLessThan(3 * (costs[2] ?? 0))
  })
})
