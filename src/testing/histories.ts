/** Conversations of every shape that clients send, each in a short notation. */
import type { ChatMessage, ChatRequest, Tool, ToolCall } from '../core/chat.ts'
import { textContent } from '../core/content.ts'
import { chatRequest } from './chat-request.ts'

export interface History {
  readonly name: string
  readonly request: ChatRequest
  /** Words that the prompt must contain. */
  readonly words: readonly string[]
}

interface Shape {
  readonly name: string
  /**
   * Messages in order: `s`, `u`, `a` speak; with `0` they say nothing. `a:xy` calls x and y (z with an object), `A:x`
   * also speaks, `a?` also thinks, `t:x` is the result of x, `t` names no call, `t0:x` is empty.
   */
  readonly messages: string
  readonly tools?: boolean
  readonly request?: Partial<ChatRequest>
}

const answerSchema = {
  type: 'object',
  properties: { a: { type: 'integer' } },
  required: ['a'],
  additionalProperties: false,
}

const listTool: Tool = {
  name: 'Zqtooll',
  parameters: { type: 'object', properties: { Zqlist: { type: 'array' }, Zqrows: { items: { type: 'array' } } } },
}

const shapes: readonly Shape[] = [
  { name: 'one question', messages: 'u' },
  { name: 'system and question', messages: 's u' },
  { name: 'some turns', messages: 's u a u a u' },
  { name: 'system alone', messages: 's' },
  { name: 'two system messages', messages: 's s u' },
  { name: 'system at the end', messages: 'u a s' },
  { name: 'system in the middle', messages: 's u s a s u' },
  { name: 'system between two answers', messages: 'u a s a u' },
  { name: 'two questions', messages: 'u u' },
  { name: 'two answers', messages: 'u a a u' },
  { name: 'assistant first', messages: 'a u' },
  { name: 'assistant first, after system', messages: 's a u a u' },
  { name: 'an empty question', messages: 'u0' },
  { name: 'system and an empty question', messages: 's u0' },
  { name: 'an empty answer at the end', messages: 'u a0' },
  { name: 'an empty answer in the middle', messages: 's u a0 u' },
  { name: 'empty everywhere', messages: 's0 u a0 u0 a u s0 a0' },
  { name: 'thinking alone at the end', messages: 'u a0?' },
  { name: 'earlier thinking', messages: 'u a? u' },
  { name: 'prefill', messages: 'u a' },
  { name: 'prefill after system', messages: 's u a u a' },
  { name: 'prefill in two messages', messages: 'u a a' },
  { name: 'prefill alone', messages: 'a' },
  { name: 'prefill and an empty answer', messages: 'u a a0' },
  { name: 'a call and its result', messages: 's u a:x t:x', tools: true },
  { name: 'a call, answered', messages: 's u a:x t:x a u', tools: true },
  { name: 'a call, then the user', messages: 'u a:x t:x u', tools: true },
  { name: 'text beside a call', messages: 's u A:x t:x a u', tools: true },
  { name: 'text, thinking and a call', messages: 'u A?:x t:x a u', tools: true },
  { name: 'two calls in a turn', messages: 'u a:xy t:x t:y a u', tools: true },
  { name: 'three calls, results out of order', messages: 'u A:xyz t:z t:x t:y', tools: true },
  { name: 'calls one after the other', messages: 'u a:x t:x a:y t:y a:z t:z', tools: true },
  { name: 'calls of two messages, then results', messages: 'u a:x a:y t:y t:x a u', tools: true },
  { name: 'a call without a result', messages: 'u a:x u', tools: true },
  { name: 'a call at the end', messages: 'u a:x', tools: true },
  { name: 'one of two results', messages: 'u a:xy t:y u', tools: true },
  { name: 'a result that comes late', messages: 'u a:x u a t:x', tools: true },
  { name: 'an empty result', messages: 'u a:x t0:x', tools: true },
  { name: 'an empty answer after a result', messages: 'u a:x t:x a0', tools: true },
  { name: 'a result that names no call', messages: 'u a:x t a u', tools: true },
  { name: 'a result of an unknown call', messages: 'u a:x t:q u', tools: true },
  { name: 'a second result of a call', messages: 'u a:x t:x t:x u', tools: true },
  { name: 'a result without any call', messages: 'u t:x a u' },
  { name: 'a result first', messages: 't:x u' },
  { name: 'a result alone', messages: 't:x' },
  { name: 'a call first', messages: 'a:x t:x u', tools: true },
  { name: 'system after a result', messages: 's u a:x t:x s', tools: true },
  { name: 'system between call and result', messages: 'u a:x s t:x a u', tools: true },
  { name: 'the user between call and result', messages: 'u a:x u t:x a u', tools: true },
  { name: 'prefill after a result', messages: 's u a:x t:x a', tools: true },
  { name: 'calls without tools', messages: 's u A:x t:x a u' },
  { name: 'everything', messages: 'a u0 s u u A:xy s t:y u t:x t:q a a0 A?:z u t', tools: true },
  { name: 'tools, one question', messages: 'u', tools: true },
  { name: 'a tool that takes lists of anything', messages: 'u', request: { tools: [listTool] } },
  { name: 'a required call', messages: 's u', tools: true, request: { toolChoice: { mode: 'required' } } },
  { name: 'no call allowed', messages: 'u a:x t:x u', tools: true, request: { toolChoice: { mode: 'none' } } },
  { name: 'one call at most', messages: 'u', tools: true, request: { parallelToolCalls: false } },
  { name: 'a schema', messages: 's u', request: { answerSchema, reasoning: { mode: 'off' } } },
  {
    name: 'a schema and thinking',
    messages: 'u',
    request: { answerSchema, reasoning: { mode: 'on', budgetTokens: 5 } },
  },
  { name: 'a schema and effort', messages: 'u', request: { answerSchema, reasoning: { effort: 'high' } } },
  { name: 'a schema beside tools', messages: 'u a:x t:x', tools: true, request: { answerSchema } },
  {
    name: 'a schema beside tools, thinking',
    messages: 'u',
    tools: true,
    request: { answerSchema, reasoning: { mode: 'on' } },
  },
  {
    name: 'a schema beside tools, not thinking',
    messages: 'u',
    tools: true,
    request: { answerSchema, reasoning: { mode: 'off' } },
  },
  {
    name: 'a schema beside tools, and effort',
    messages: 'u',
    tools: true,
    request: { answerSchema, reasoning: { effort: 'high' } },
  },
  { name: 'a schema, system at the end', messages: 'u a s', request: { answerSchema } },
  { name: 'a schema, system alone', messages: 's', request: { answerSchema } },
  { name: 'low effort', messages: 's u', request: { reasoning: { effort: 'low' } } },
  { name: 'high effort and tools', messages: 'u a:x t:x u', tools: true, request: { reasoning: { effort: 'high' } } },
  { name: 'thinking off, tools', messages: 's u a:x t:x', tools: true, request: { reasoning: { mode: 'off' } } },
]

/** Pattern of words that no template writes itself. */
const word = /\bZq[a-z]+\b/g

const roles = { s: 'system', u: 'user', a: 'assistant', A: 'assistant', t: 'tool' } as const

function readMessage(item: string, place: string): ChatMessage {
  const [, letter = 'u', flags = '', named = ''] = /^(\w)([0?]*)(?::(\w+))?$/.exec(item) ?? []
  const role = roles[letter as keyof typeof roles]
  const isSilent = flags.includes('0') || (letter === 'a' && named !== '')
  return {
    role,
    content: textContent(isSilent ? '' : `Zqsaid${place} and Zqmore${place}`),
    ...(flags.includes('?') && { reasoning: 'Hm.' }),
    ...(role === 'assistant' && named !== '' && { toolCalls: [...named].map((id) => callOf(id, place)) }),
    ...(role === 'tool' && named !== '' && { toolCallId: `call_of_client_${named}` }),
  }
}

function callOf(id: string, place: string): ToolCall {
  const value = `Zqargument${place}${id}`
  const argumentsText = JSON.stringify({ Zqcity: id === 'z' ? { Zqinner: [value, 1] } : value })
  return { id: `call_of_client_${id}`, name: `Zqtool${id}`, argumentsText }
}

function toolsOf(messages: readonly ChatMessage[]): Tool[] {
  const names = new Set(['Zqtoolw', ...messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ name }) => name))])
  const parameters = { type: 'object', properties: { Zqcity: { type: 'string' } }, required: ['Zqcity'] }
  return [...names].map((name) => ({ name, description: `Zqabout${name.slice(-1)} of it`, parameters }))
}

/** Returns the words of a message that the prompt must contain. Templates may cut the thinking of earlier turns. */
function wordsOf({ reasoning: _, ...message }: ChatMessage): string[] {
  return JSON.stringify(message).match(word) ?? []
}

export const histories: readonly History[] = shapes.map(({ name, messages, tools = false, request = {} }) => {
  const read = messages.split(' ').map((item, index) => readMessage(item, `${String.fromCharCode(97 + index)}`))
  const offered = request.tools ?? (tools ? toolsOf(read) : [])
  return {
    name,
    request: chatRequest({ ...request, messages: read, tools: offered }),
    words: [...read.flatMap(wordsOf), ...offered.flatMap((tool) => JSON.stringify(tool).match(word) ?? [])],
  }
})
