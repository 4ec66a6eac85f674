/** Exact bytes of each dialect for each scenario of `answer-scenarios.ts`, stored in `src/wire/fixtures/`. */
import { join } from 'node:path'
import { chatCompletionsDialect } from '../wire/chat-completions/dialect.ts'
import type { ChatCall, ChatDialect } from '../wire/dialect.ts'
import { messagesDialect } from '../wire/messages/dialect.ts'
import { responsesDialect } from '../wire/responses/dialect.ts'
import { answerContext } from './answer-context.ts'
import { type AnswerScenario, answerScenarios } from './answer-scenarios.ts'

const folder = join(import.meta.dir, '../wire/fixtures')

export interface WireFixture {
  /** Name: `<scenario>.<dialect>.sse`, or `.json` for the answer to a request without `stream`. */
  readonly name: string
  readonly path: string
  /** Bytes that the dialect gives for the scenario now. */
  readonly bytes: string
}

/** Returns all fixtures that must exist. */
export function wireFixtures(): WireFixture[] {
  return Object.entries(answerScenarios).flatMap(([scenario, answer]) => [
    ...fixtures(scenario, answer, chatCompletionsDialect, chatBody),
    ...fixtures(scenario, answer, responsesDialect, responsesBody),
    ...fixtures(scenario, answer, messagesDialect, messagesBody),
  ])
}

const model = 'org/model'
const parameters = { type: 'object', properties: { word: { type: 'string' } } }
const question = { role: 'user', content: 'Hi' }

const chatBody = {
  model,
  messages: [question],
  tools: ['look_up', 'now'].map((name) => ({ type: 'function', function: { name, parameters } })),
  stream_options: { include_usage: true },
}

const responsesBody = {
  model,
  input: 'Hi',
  tools: ['look_up', 'now'].map((name) => ({ type: 'function', name, parameters })),
  reasoning: { effort: 'low' },
}

const messagesBody = {
  model,
  max_tokens: 100,
  messages: [question],
  tools: ['look_up', 'now'].map((name) => ({ name, input_schema: parameters })),
  thinking: { type: 'adaptive' },
}

function fixtures<Call extends ChatCall>(
  scenario: string,
  answer: AnswerScenario,
  dialect: ChatDialect<Call>,
  body: object,
): WireFixture[] {
  const name = `${scenario}.${dialect.endpoint.replace('/', '-')}`
  const call = dialect.parse(body)
  const stream: WireFixture = { ...placed(`${name}.sse`), bytes: streamed(dialect, call, answer) }
  // Without `stream` a failure is an error with a status, the same in all scenarios.
  if (answer.failure !== undefined) return [stream]
  return [stream, { ...placed(`${name}.json`), bytes: whole(dialect, call, answer) }]
}

function placed(name: string): { name: string; path: string } {
  return { name, path: join(folder, name) }
}

function streamed<Call extends ChatCall>(dialect: ChatDialect<Call>, call: Call, answer: AnswerScenario): string {
  const encoder = dialect.encoder(call, answerContext())
  const frames = answer.events.flatMap((event) => encoder.push(event))
  return [...frames, ...(answer.failure === undefined ? encoder.end() : encoder.fail(answer.failure))].join('')
}

/** Returns the whole answer, with line breaks instead of its compact form, so that a difference is easy to see. */
function whole<Call extends ChatCall>(dialect: ChatDialect<Call>, call: Call, { events }: AnswerScenario): string {
  const collector = dialect.collector(call, answerContext())
  for (const event of events) collector.push(event)
  return `${JSON.stringify(collector.end(), undefined, 2)}\n`
}
