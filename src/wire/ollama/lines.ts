/** Answers of chat and generate: one JSON object a line, or one object in all. */
import type { ChatEvent } from '../../core/chat.ts'
import type { ApiError } from '../../core/errors.ts'
import { toLogprobs } from '../chat/to-logprobs.ts'
import type { AnswerCollector, AnswerContext, AnswerEncoder, AnswerHead } from '../dialect.ts'
import type { OllamaCall } from './answer-fields.ts'
import { type AnswerPart, AnswerParts } from './answer-parts.ts'
import { ollamaMessage } from './error-body.ts'

/** Returns the fields of a line with this content. Chat and generate differ here. */
type LineFields = (said: SaidFields) => object

interface SaidFields {
  readonly content: string
  /** Thinking. An empty one is left out of the line, since some clients show it in place of the content. */
  readonly thinking: string
  readonly calls: readonly object[]
}

export const chatFields: LineFields = ({ content, thinking, calls }) => ({
  message: {
    role: 'assistant',
    content,
    ...(thinking !== '' && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  },
})

/**
 * Lines of generate. `context` is empty because no tokens are kept for later requests, but some clients expect the
 * list.
 */
export const generateFields: LineFields = ({ content, thinking }) => ({
  response: content,
  ...(thinking !== '' && { thinking }),
  context: [],
})

const head: AnswerHead = {
  contentType: 'application/x-ndjson',
  headers: { 'cache-control': 'no-cache', 'x-accel-buffering': 'no' },
}

const nothing: SaidFields = { content: '', thinking: '', calls: [] }

/** Encodes an answer as lines. Waits for the first part in silence: this dialect has no keep-alive line. */
export function lineEncoder(fields: LineFields) {
  return ({ model }: OllamaCall, context: AnswerContext): AnswerEncoder<ChatEvent> => {
    const parts = new AnswerParts(context)
    const line = (said: SaidFields, rest: object) =>
      `${JSON.stringify({ model, created_at: context.nowText(), ...fields(said), ...rest })}\n`
    return {
      head,
      push: (event) =>
        parts.push(event).map((part) => line(saidBy(part), { done: false, ...logprobsOf(part.logprobs) })),
      end: () => [line(nothing, parts.end())],
      fail: (error: ApiError) => [`${JSON.stringify({ error: ollamaMessage(error), code: error.code })}\n`],
    }
  }
}

function saidBy({ content = '', thinking = '', call }: AnswerPart): SaidFields {
  return { content, thinking, calls: call === undefined ? [] : [call] }
}

function logprobsOf(logprobs: AnswerPart['logprobs']) {
  return logprobs === undefined ? {} : { logprobs: toLogprobs(logprobs).content }
}

/** Gathers all parts into one object. */
export function lineCollector(fields: LineFields) {
  return ({ model, request }: OllamaCall, context: AnswerContext): AnswerCollector<ChatEvent> => {
    const parts = new AnswerParts(context)
    const said: AnswerPart[] = []
    return {
      push: (event) => {
        for (const part of parts.push(event)) said.push(part)
      },
      end: () => ({
        model,
        created_at: context.nowText(),
        ...fields({
          content: said.map(({ content = '' }) => content).join(''),
          thinking: said.map(({ thinking = '' }) => thinking).join(''),
          calls: said.flatMap(({ call }) => (call === undefined ? [] : [call])),
        }),
        ...parts.end(),
        ...(request.topLogprobs !== undefined && logprobsOf(said.flatMap(({ logprobs = [] }) => logprobs))),
      }),
    }
  }
}

/** Returns the answer of a request that only loads or unloads a model: one object, even if a stream was requested. */
export function emptyAnswer(fields: LineFields) {
  return ({ model, keepAliveMs }: OllamaCall, { nowText }: Pick<AnswerContext, 'nowText'>): object => ({
    model,
    created_at: nowText(),
    ...fields(nothing),
    done: true,
    done_reason: keepAliveMs === 0 ? 'unload' : 'load',
  })
}
