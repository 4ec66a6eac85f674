import type { ChatEvent } from '../../../src/core/chat.ts'
import { newId } from '../../../src/core/ids.ts'
import { answerContext } from '../../../src/testing/answer-context.ts'
import { chatCompletionsDialect } from '../../../src/wire/chat-completions/dialect.ts'
import type { AnswerContext, ChatCall, ChatDialect, StreamEncoder } from '../../../src/wire/dialect.ts'
import { messagesDialect } from '../../../src/wire/messages/dialect.ts'
import { responsesDialect } from '../../../src/wire/responses/dialect.ts'
import { type AnswerKind, answerKinds, customToolName, toolName, toolParameters } from './events.ts'
import type { BenchSink } from './measure-sink.ts'

/** One of a dialect's two forms of an answer: streamed or whole. */
export interface WireSubject {
  readonly name: string
  /** Kinds of answers that the dialect has. */
  readonly kinds: readonly AnswerKind[]
  /** Begins an answer to a fixed request. */
  readonly open: () => BenchSink<ChatEvent>
}

/** Returns every dialect's encoder and collector, for a request that offers a tool and asks for thinking. */
export function wireSubjects(): WireSubject[] {
  return [
    ...subjects(chatCompletionsDialect, {
      messages: [question],
      tools: [
        { type: 'function', function: tool },
        { type: 'custom', custom: { name: customToolName } },
      ],
      stream_options: { include_usage: true },
    }),
    ...subjects(responsesDialect, {
      input: [question],
      tools: [
        { type: 'function', ...tool },
        { type: 'custom', name: customToolName },
      ],
    }),
    ...subjects(messagesDialect, {
      messages: [question],
      tools: [{ name: toolName, input_schema: toolParameters }],
      thinking: { type: 'adaptive' },
      max_tokens: 200_000,
    }),
  ]
}

const question = { role: 'user', content: 'Write it down.' }
const tool = { name: toolName, parameters: toolParameters }

const context: AnswerContext = { ...answerContext(), newId }

function subjects<Call extends ChatCall>(dialect: ChatDialect<Call>, body: object): WireSubject[] {
  const call = dialect.parse({ model: 'org/model', stream: true, ...body })
  const kinds = answerKinds.filter((kind) => kind !== 'custom tool input' || JSON.stringify(body).includes('custom'))
  return [
    { name: `${dialect.endpoint}, streamed`, kinds, open: () => intoBytes(dialect.encoder(call, context)) },
    { name: `${dialect.endpoint}, whole`, kinds, open: () => dialect.collector(call, context) },
  ]
}

const bytes = new Uint8Array(16 * 1024 * 1024)
const utf8 = new TextEncoder()

/** Turns frames into bytes as for a socket, since the runtime may not even join strings that are never read. */
function intoBytes(encoder: StreamEncoder): BenchSink<ChatEvent> {
  const write = (frames: readonly string[]) => {
    for (const frame of frames) utf8.encodeInto(frame, bytes)
  }
  return { push: (event) => write(encoder.push(event)), end: () => write(encoder.end()) }
}
