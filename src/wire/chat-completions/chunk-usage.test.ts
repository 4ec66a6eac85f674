import { expect, test } from 'bun:test'
import type { ChatEvent } from '../../core/chat.ts'
import { nothingConsumed } from '../../core/usage.ts'
import { answerContext } from '../../testing/answer-context.ts'
import { completionsDialect } from '../completions/dialect.ts'
import { chatCompletionsDialect } from './dialect.ts'

const tokens = (completionTokens: number, reasoningTokens = 0) => ({ completionTokens, reasoningTokens })
const events: readonly ChatEvent[] = [
  { type: 'start', promptTokens: 5, cachedTokens: 2 },
  { type: 'text-delta', choice: 0, text: 'a', tokens: tokens(1) },
  { type: 'text-delta', choice: 1, text: 'b', tokens: tokens(2, 1) },
  { type: 'text-delta', choice: 0, text: 'c' },
  { type: 'choice-finish', choice: 0, reason: 'stop', stopString: 'END', tokens: tokens(4) },
  { type: 'choice-finish', choice: 1, reason: 'length', isRepetition: true, tokens: tokens(3, 1) },
  { type: 'finish', usage: { ...nothingConsumed, promptTokens: 5, cachedTokens: 2, completionTokens: 7 } },
]

/** Returns for each chunk the tokens so far and the reason why its choice ended. */
function chunks(dialect: typeof chatCompletionsDialect | typeof completionsDialect, stream_options: object) {
  const prompt = dialect === completionsDialect ? { prompt: 'x' } : { messages: [{ role: 'user', content: 'x' }] }
  const body = { model: 'm', stream: true, n: 2, stream_options, ...prompt }
  const encoder = dialect.encoder?.(dialect.parse(body) as never, answerContext())
  return events
    .flatMap((event) => encoder?.push(event) ?? [])
    .flatMap((frame) => (String(frame).startsWith('data: ') ? [JSON.parse(String(frame).slice(6))] : []))
    .map(({ usage, choices }) => [usage?.completion_tokens ?? usage, choices[0]?.stop_reason])
}

const asked = { include_usage: true, continuous_usage_stats: true }

test('chunks tell what has been used so far, and what ended each choice', () => {
  expect(chunks(completionsDialect, asked)).toEqual([
    [1, undefined],
    [3, undefined],
    [3, undefined],
    [6, undefined],
    [7, 'repetition_detected'],
    [7, undefined],
  ])
  const chat = chunks(chatCompletionsDialect, asked)
  expect(chat.map(([used]) => used)).toEqual([1, 1, 3, 3, 3, 6, 7, 7])
  expect(chat.map(([, stop]) => stop).filter((stop) => stop !== undefined)).toEqual(['END', 'repetition_detected'])
})

test.each([
  [{ include_usage: true }, [null, null, null, null, null, 7]],
  [{ continuous_usage_stats: true }, [undefined, undefined, undefined, undefined, undefined]],
])('and nothing of it where that is not asked for: %j', (options, used) => {
  expect(chunks(completionsDialect, options)).toEqual(used.map((each) => [each, undefined]))
})
