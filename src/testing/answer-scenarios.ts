/** Answers as engines give them. Each dialect has its own form for each kind. */
import type { ChatEvent } from '../core/chat.ts'
import { ApiError } from '../core/errors.ts'
import { nothingConsumed } from '../core/usage.ts'

export interface AnswerScenario {
  readonly events: readonly ChatEvent[]
  /** Error that ends the answer after `events`. */
  readonly failure?: ApiError
}

const start: ChatEvent = { type: 'start', promptTokens: 20, cachedTokens: 12 }

function text(...pieces: readonly string[]): ChatEvent[] {
  return pieces.map((piece) => ({ type: 'text-delta', choice: 0, text: piece }))
}

function reasoning(...pieces: readonly string[]): ChatEvent[] {
  return pieces.map((piece) => ({ type: 'reasoning-delta', choice: 0, text: piece }))
}

function call(index: number, name: string, ...pieces: readonly string[]): ChatEvent[] {
  return [
    { type: 'tool-call-start', choice: 0, index, name },
    ...pieces.map((argumentsText): ChatEvent => ({ type: 'tool-call-delta', choice: 0, index, argumentsText })),
  ]
}

function end(finish: Omit<Extract<ChatEvent, { type: 'choice-finish' }>, 'type' | 'choice'>, reasoningTokens = 0) {
  const usage = { ...nothingConsumed, promptTokens: 20, cachedTokens: 12, completionTokens: 9, reasoningTokens }
  return [
    { type: 'choice-finish', choice: 0, ...finish },
    { type: 'finish', usage },
  ] as const
}

/** Scenarios by the name of their fixture. Their tools are `look_up` and `now`. */
export const answerScenarios: Readonly<Record<string, AnswerScenario>> = {
  text: { events: [start, ...text('Hel', 'lo "🙂"\n'), ...end({ reason: 'stop' })] },
  nothing: { events: [start, ...end({ reason: 'stop' })] },
  'thinking-and-text': {
    events: [start, ...reasoning('Let me', ' see.'), ...text('Yes', '.'), ...end({ reason: 'stop' }, 4)],
  },
  'thinking-cut': { events: [start, ...reasoning('On and', ' on'), ...end({ reason: 'length' }, 9)] },
  'parallel-calls': {
    events: [
      start,
      ...reasoning('Both.'),
      ...text('I look.'),
      ...call(0, 'look_up', '{"word"', '', ':"a\\"b"}'),
      ...call(1, 'now'),
      ...end({ reason: 'tool-calls' }, 2),
    ],
  },
  'call-cut': { events: [start, ...call(0, 'look_up', '{"word":"a'), ...end({ reason: 'length' })] },
  'stop-string': { events: [start, ...text('One'), ...end({ reason: 'stop', stopString: 'END' })] },
  'context-full': { events: [start, ...text('One'), ...end({ reason: 'length', isContextFull: true })] },
  'engine-failure': {
    events: [start, ...text('One', ' two')],
    failure: new ApiError('engine', 'The model process ended. Try again.', { code: 'engine_failed' }),
  },
}
