import { expect, test } from 'bun:test'
import type { ChatEvent } from '../../core/chat.ts'
import { nothingConsumed } from '../../core/usage.ts'
import { answerContext } from '../../testing/answer-context.ts'
import { ollamaChatDialect, ollamaGenerateDialect } from './dialect.ts'

const usage = { ...nothingConsumed, promptTokens: 26, completionTokens: 282 }
const start: ChatEvent = { type: 'start', promptTokens: 26, cachedTokens: 0 }
const finish: ChatEvent = { type: 'finish', usage }
const text = (words: string): ChatEvent => ({ type: 'text-delta', choice: 0, text: words })
const thought = (words: string): ChatEvent => ({ type: 'reasoning-delta', choice: 0, text: words })
const end = (reason: 'stop' | 'length' | 'tool-calls'): ChatEvent => ({ type: 'choice-finish', choice: 0, reason })
const call = (index: number, name: string, ...pieces: string[]): ChatEvent[] => [
  { type: 'tool-call-start', choice: 0, index, name },
  ...pieces.map((piece): ChatEvent => ({ type: 'tool-call-delta', choice: 0, index, argumentsText: piece })),
]

/** Returns a context whose clock reads 2 ms, 5 ms and so on since the request's arrival. */
function context() {
  const times = [2, 5, 12]
  return { ...answerContext(), elapsedMs: () => times.shift() ?? 12 }
}

function streamed(dialect: typeof ollamaChatDialect, ...events: ChatEvent[]): string {
  const body = { model: 'm:latest', messages: [{ role: 'user', content: 'Hi' }], prompt: 'Hi' }
  const encoder = dialect.encoder?.(dialect.parse(body), context())
  if (encoder === undefined) throw new Error('it streams')
  return [...[start, ...events, finish].flatMap((event) => encoder.push(event)), ...encoder.end()].join('')
}

function whole(dialect: typeof ollamaChatDialect, ...events: ChatEvent[]) {
  const body = { model: 'm:latest', messages: [{ role: 'user', content: 'Hi' }], prompt: 'Hi', stream: false }
  const collector = dialect.collector(dialect.parse(body), context())
  for (const event of [start, ...events, finish]) collector.push(event)
  return collector.end()
}

const head = '{"model":"m:latest","created_at":"2023-11-14T22:13:21.000Z",'
const numbers =
  '"total_duration":12000000,"load_duration":2000000,"prompt_eval_count":26,"prompt_eval_duration":3000000,"eval_count":282,"eval_duration":7000000'

test('what takes no time takes a nanosecond, since clients divide by it', () => {
  const encoder = ollamaChatDialect.encoder?.(ollamaChatDialect.parse({ model: 'm', messages: [] }), {
    ...answerContext(),
    elapsedMs: () => 2,
  })
  encoder?.push(finish)
  expect(encoder?.end().join('')).toContain('"eval_duration":1}')
})

test('a chat is a line a piece, each with its message, and six numbers on the last', () => {
  expect(streamed(ollamaChatDialect, thought('Hm'), text('Hel'), text('lo'), end('stop'))).toBe(
    [
      `${head}"message":{"role":"assistant","content":"","thinking":"Hm"},"done":false}`,
      `${head}"message":{"role":"assistant","content":"Hel"},"done":false}`,
      `${head}"message":{"role":"assistant","content":"lo"},"done":false}`,
      `${head}"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop",${numbers}}\n`,
    ].join('\n'),
  )
})

test('what is generated is a response, and no tokens are given back', () => {
  expect(streamed(ollamaGenerateDialect, text('Hi'), end('length'))).toBe(
    [
      `${head}"response":"Hi","context":[],"done":false}`,
      `${head}"response":"","context":[],"done":true,"done_reason":"length",${numbers}}\n`,
    ].join('\n'),
  )
})

test('a whole answer is the last line with everything in it', () => {
  const said = [thought('H'), thought('m'), text('Hel'), text('lo'), end('stop')]
  expect(JSON.stringify(whole(ollamaChatDialect, ...said))).toBe(
    `${head}"message":{"role":"assistant","content":"Hello","thinking":"Hm"},"done":true,"done_reason":"stop",${numbers}}`,
  )
  expect(JSON.stringify(whole(ollamaGenerateDialect, ...said))).toStartWith(
    `${head}"response":"Hello","thinking":"Hm","context":[],"done":true`,
  )
})

test('calls come whole, one a line, with ids and places', () => {
  const events = [...call(0, 'a', '{"x":', '1}'), ...call(1, 'b'), end('tool-calls')]
  const lines = streamed(ollamaChatDialect, ...events)
    .trimEnd()
    .split('\n')
  const calls = lines.map((line) => JSON.parse(line).message.tool_calls)
  expect(calls).toEqual([
    [{ id: 'call_1', function: { index: 0, name: 'a', arguments: { x: 1 } } }],
    [{ id: 'call_2', function: { index: 1, name: 'b', arguments: {} } }],
    undefined,
  ])
  expect(whole(ollamaChatDialect, ...events)).toMatchObject({
    message: { content: '', tool_calls: [{ id: 'call_1' }, { id: 'call_2' }] },
    done_reason: 'stop',
  })
})

test('a call that was cut is shown as text', () => {
  expect(whole(ollamaChatDialect, ...call(0, 'a', '{"x":'), end('length'))).toMatchObject({
    message: { role: 'assistant', content: '{"x":' },
    done_reason: 'length',
  })
})

test('log probabilities are those of each line, and all of them in a whole answer', () => {
  const token = (word: string) => ({ token: word, bytes: [...Buffer.from(word)], logprob: -0.5, alternatives: [] })
  const events: ChatEvent[] = ['a', 'b'].map((word) => ({
    type: 'text-delta',
    choice: 0,
    text: word,
    logprobs: [token(word)],
  }))
  const wire = (word: string) => ({ token: word, logprob: -0.5, bytes: [...Buffer.from(word)], top_logprobs: [] })
  const [first] = streamed(ollamaChatDialect, ...events, end('stop')).split('\n')
  expect(JSON.parse(first ?? '').logprobs).toEqual([wire('a')])
  const body = { model: 'm', prompt: 'Hi', stream: false, logprobs: true }
  const collector = ollamaGenerateDialect.collector(ollamaGenerateDialect.parse(body), context())
  for (const event of [start, ...events, end('stop'), finish]) collector.push(event)
  expect(collector.end()).toMatchObject({ logprobs: [wire('a'), wire('b')] })
})
