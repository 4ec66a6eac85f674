import type { ChatEvent } from '../../src/core/chat.ts'
import { newId } from '../../src/core/ids.ts'
import { chatCompletionsDialect } from '../../src/wire/chat-completions/dialect.ts'
import type { AnswerContext, ChatCall, ChatDialect } from '../../src/wire/dialect.ts'
import type { BenchSink } from './measure-sink.ts'

/** One of a dialect's two ways to answer. */
export interface WireSubject {
  readonly name: string
  /** A new answer, always to the same request. */
  readonly open: () => BenchSink<ChatEvent>
}

const question = { role: 'user', content: 'Write it down.' }

/** Every dialect's encoder and collector, for a plain request. */
export function wireSubjects(): WireSubject[] {
  return [...subjects(chatCompletionsDialect, { stream_options: { include_usage: true }, messages: [question] })]
}

const context: AnswerContext = {
  newId,
  created: 1_700_000_000,
  fingerprint: 'fp_bench',
  requestId: 'req_bench',
  docsUrl: (code) => `http://localhost/docs/errors#${code}`,
}

function subjects<Call extends ChatCall>(dialect: ChatDialect<Call>, body: object): WireSubject[] {
  const call = dialect.parse({ model: 'org/model', stream: true, ...body })
  return [
    { name: `${dialect.endpoint}, streamed`, open: () => dialect.encoder(call, context) },
    { name: `${dialect.endpoint}, whole`, open: () => dialect.collector(call, context) },
  ]
}
