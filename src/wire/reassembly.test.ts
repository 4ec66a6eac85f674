/**
 * Whatever an engine yields, a client that joins a stream's deltas gets the same answer as one that does not stream.
 */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ChatEvent } from '../core/chat.ts'
import { ApiError } from '../core/errors.ts'
import { answerContext } from '../testing/answer-context.ts'
import { randomAnswer } from '../testing/random-answer.ts'
import { readEvents } from '../testing/reassemble/read-events.ts'
import { reassembleChat } from '../testing/reassemble/reassemble-chat.ts'
import { reassembleMessage } from '../testing/reassemble/reassemble-message.ts'
import { reassembleResponse } from '../testing/reassemble/reassemble-response.ts'
import type { ChatCompletion } from './chat-completions/completion.ts'
import { chatCompletionsDialect } from './chat-completions/dialect.ts'
import type { ChatCall, ChatDialect } from './dialect.ts'
import { messagesDialect } from './messages/dialect.ts'
import { responsesDialect } from './responses/dialect.ts'

const model = 'org/model'
const question = { role: 'user', content: 'Hi' }
const parameters = { type: 'object', properties: {} }

/** Returns the answers to the same events, streamed and gathered. */
function bothWays<Call extends ChatCall>(dialect: ChatDialect<Call>, body: object, events: readonly ChatEvent[]) {
  const call = dialect.parse(body)
  const encoder = dialect.encoder(call, answerContext())
  const stream = [...events.flatMap((event) => encoder.push(event)), ...encoder.end()].join('')
  const collector = dialect.collector(call, answerContext())
  for (const event of events) collector.push(event)
  return { stream, whole: JSON.parse(JSON.stringify(collector.end())) }
}

/** Returns all text of one kind without white space, of which dialects may drop some. */
function said(events: readonly ChatEvent[], type: 'text-delta' | 'reasoning-delta', choice = 0): string {
  const texts = events.map((event) => (event.type === type && event.choice === choice ? event.text : ''))
  return texts.join('').replace(/\s/g, '')
}

test('chat/completions: one choice and several at once', () => {
  const body = {
    model,
    n: 2,
    messages: [question],
    tools: [
      { type: 'function', function: { name: 'find', parameters } },
      { type: 'custom', custom: { name: 'exec' } },
    ],
    stream_options: { include_usage: true },
  }
  fc.assert(
    fc.property(randomAnswer({ choices: 2, toolNames: ['find', 'exec'] }), (events) => {
      const { stream, whole } = bothWays(chatCompletionsDialect, body, events)
      const { choices, usage } = reassembleChat(stream)
      expect(usage).toEqual(whole.usage)
      const expected = (whole as ChatCompletion).choices.map(({ message, finish_reason }) => ({
        role: message.role,
        content: message.content ?? '',
        reasoning: message.reasoning_content ?? '',
        calls: (message.tool_calls ?? []).map(flatCall),
        finish: finish_reason,
      }))
      expect(choices.map((choice) => ({ ...choice, calls: choice.calls.map(withoutId) }))).toEqual(expected)
      for (const [index, choice] of choices.entries()) {
        expect(choice.content.replace(/\s/g, '')).toBe(said(events, 'text-delta', index))
        expect(choice.reasoning.replace(/\s/g, '')).toBe(said(events, 'reasoning-delta', index))
      }
      const ids = choices.flatMap(({ calls }) => calls.map(({ id }) => id))
      expect(new Set(ids).size).toBe(ids.length)
    }),
    { numRuns: 300, includeErrorInReport: true },
  )
})

/** Removes the id: ids come from one counter in the order of the stream or of the choices, and need only be unique. */
function withoutId({ type, name, text }: { readonly type: unknown; readonly name: unknown; readonly text: string }) {
  return { type, name, text }
}

function flatCall(call: NonNullable<ChatCompletion['choices'][number]['message']['tool_calls']>[number]) {
  const { type } = call
  return 'custom' in call
    ? { type, name: Reflect.get(call.custom as object, 'name'), text: Reflect.get(call.custom as object, 'input') }
    : { type, name: call.function.name, text: call.function.arguments }
}

const tools = [
  { type: 'function', name: 'find', parameters },
  { type: 'custom', name: 'exec' },
  { type: 'namespace', name: 'mcp', tools: [{ type: 'function', name: 'find', parameters }] },
  { type: 'local_shell' },
  { type: 'tool_search', execution: 'client', parameters },
]
const names = ['find', 'exec', 'mcp__find', 'local_shell', 'tool_search']

test.each<[string, object]>([
  ['with raw thinking', { reasoning: { effort: 'low' } }],
  [
    'with a summary of thinking and its seal',
    { reasoning: { summary: 'auto' }, include: ['reasoning.encrypted_content'] },
  ],
])('responses %s', (_, fields) => {
  fc.assert(
    fc.property(randomAnswer({ choices: 1, toolNames: names }), (events) => {
      const { stream, whole } = bothWays(responsesDialect, { model, input: 'Hi', tools, ...fields }, events)
      const assembled = reassembleResponse(stream)
      const done = (whole.output as OutputItem[]).filter((item) => isStreamed(item, assembled.output as OutputItem[]))
      expect({ ...assembled, output: (assembled.output as OutputItem[]).map(withoutStatus) }).toEqual({
        ...whole,
        output: done.map(withoutStatus),
      })
      const last = JSON.parse(stream.slice(stream.lastIndexOf('\ndata: ') + 7)).response
      expect(last).toEqual(whole)
    }),
    { numRuns: 300, includeErrorInReport: true },
  )
})

interface OutputItem {
  readonly id: string
  readonly status: string
}

/**
 * Returns whether a stream announced the item. Calls that are sent whole are reported only at the end if they were
 * cut.
 */
function isStreamed(item: OutputItem, streamed: readonly OutputItem[]): boolean {
  return item.status !== 'incomplete' || streamed.some(({ id }) => id === item.id)
}

/** Removes the status: a cut call gets no `done`, so only the last event calls it incomplete. */
function withoutStatus({ status, ...item }: OutputItem): object {
  return item
}

test.each([{ type: 'adaptive' }, { type: 'disabled' }])('messages with thinking %j', (thinking) => {
  const body = {
    model,
    max_tokens: 100,
    messages: [question],
    tools: [{ name: 'find', input_schema: parameters }],
    thinking,
  }
  fc.assert(
    fc.property(randomAnswer({ choices: 1, toolNames: ['find'] }), (events) => {
      const { stream, whole } = bothWays(messagesDialect, body, events)
      const assembled = reassembleMessage(stream)
      const ids = (message: Record<string, unknown>) => (message.content as { id?: string }[]).map(({ id }) => id)
      expect(assembled).toEqual(whole)
      expect(ids(assembled)).toEqual(ids(whole))
    }),
    { numRuns: 300, includeErrorInReport: true },
  )
})

const failure = new ApiError('engine', 'The model process ended. Try again.', { code: 'engine_failed' })

/** Returns the events of a stream that breaks off after a part of an answer. */
function brokenOff<Call extends ChatCall>(dialect: ChatDialect<Call>, body: object, events: readonly ChatEvent[]) {
  const encoder = dialect.encoder(dialect.parse(body), answerContext())
  return readEvents([...events.flatMap((event) => encoder.push(event)), ...encoder.fail(failure)].join(''))
}

test('wherever an answer breaks off, its stream ends with the failure and with nothing that says it is whole', () => {
  const answers = randomAnswer({ choices: 1, toolNames: names })
  fc.assert(
    fc.property(answers, fc.nat(), (events, cut) => {
      const begun = events.slice(0, 1 + (cut % (events.length - 1)))
      const chat = brokenOff(chatCompletionsDialect, { model, messages: [question] }, begun)
      expect(JSON.parse(chat.at(-1)?.data ?? '')).toMatchObject({ error: { code: 'engine_failed' } })
      expect(chat.some(({ data }) => data === '[DONE]')).toBe(false)
      const responses = brokenOff(responsesDialect, { model, input: 'Hi', tools }, begun)
      expect(responses.filter(({ name }) => /completed|incomplete|failed/.test(name ?? ''))).toHaveLength(1)
      expect(responses.at(-1)?.name).toBe('response.failed')
      expect(JSON.parse(responses.at(-1)?.data ?? '')).toMatchObject({ sequence_number: responses.length - 1 })
      const messages = brokenOff(messagesDialect, { model, messages: [question], max_tokens: 100 }, begun)
      expect(messages.at(-1)?.name).toBe('error')
      expect(messages.some(({ name }) => name === 'message_stop')).toBe(false)
    }),
    { numRuns: 300, includeErrorInReport: true },
  )
})
