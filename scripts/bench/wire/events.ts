import type { ChatEvent } from '../../../src/core/chat.ts'
import { nothingConsumed } from '../../../src/core/usage.ts'
import type { LongAnswer } from './measure-sink.ts'

/** Kind of content of a long answer. */
export type AnswerKind = 'text' | 'reasoning' | 'tool arguments' | 'custom tool input'

export const answerKinds: readonly AnswerKind[] = ['text', 'reasoning', 'tool arguments', 'custom tool input']

/** Pieces of the size of tokens: about four characters, some of them escaped in JSON, some beyond ASCII. */
const pieces = [
  ' the',
  ' answer',
  ' is',
  ',',
  ' some',
  'thing',
  ' "quoted"',
  '.\n',
  ' naïve',
  ' 🙂',
  'ing',
  ' 42',
  ' of',
]

/** Pieces of one long string in a call's arguments, escaped as models write them. */
const argumentPieces = [' the', ' answer', ' is', ',', ' some', 'thing', ' \\"quoted', '\\"', '\\n', ' naïve', ' 42']

/** Returns the events of an answer of `deltas` pieces, all of one kind. */
export function answerEvents(kind: AnswerKind, deltas: number): LongAnswer<ChatEvent> {
  const start: ChatEvent = { type: 'start', promptTokens: 1000, cachedTokens: 900 }
  const usage = {
    ...nothingConsumed,
    promptTokens: 1000,
    cachedTokens: 900,
    completionTokens: deltas,
    reasoningTokens: 0,
  }
  const finish: ChatEvent = { type: 'finish', usage }
  if (kind === 'tool arguments' || kind === 'custom tool input') {
    const call = { choice: 0, index: 0 } as const
    const [name, argument] = kind === 'tool arguments' ? [toolName, 'text'] : [customToolName, 'input']
    return {
      head: [start, { type: 'tool-call-start', ...call, name }],
      body: toolPieces(deltas, argument).map((argumentsText) => ({ type: 'tool-call-delta', ...call, argumentsText })),
      tail: [{ type: 'choice-finish', choice: 0, reason: 'tool-calls' }, finish],
    }
  }
  const type = kind === 'text' ? 'text-delta' : 'reasoning-delta'
  return {
    head: [start],
    body: textPieces(deltas).map((text) => ({ type, choice: 0, text })),
    tail: [{ type: 'choice-finish', choice: 0, reason: 'stop' }, finish],
  }
}

/** Returns `count` pieces of plain text. */
export function textPieces(count: number): string[] {
  return Array.from({ length: count }, (_, index) => pieces[index % pieces.length] ?? '')
}

/** Returns `count` pieces of text with many characters that may begin a call. */
export function htmlPieces(count: number): string[] {
  const html = ['<', 'p', '>', ' some', ' {', '"a"', ': [', '1', ']}', '</', 'p', '>', '\n']
  return Array.from({ length: count }, (_, index) => html[index % html.length] ?? '')
}

/** Name of the called tool, which has one argument. */
export const toolName = 'write_file'
export const toolParameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const

/** Name of a tool that takes plain text, in dialects with such tools. */
export const customToolName = 'run'

/** Returns `count` pieces that together are the JSON text of a call's only argument. */
export function toolPieces(count: number, argument: string): string[] {
  const middle = Array.from({ length: count - 2 }, (_, index) => argumentPieces[index % argumentPieces.length] ?? '')
  return [`{"${argument}": "`, ...middle, '"}']
}
