import type { ChatEvent } from '../../core/chat.ts'
import type { ApiError } from '../../core/errors.ts'
import type { AnswerContext, StreamEncoder } from '../dialect.ts'
import { toJsonLine } from '../sse-frame.ts'
import { toMessagesErrorBody } from './error-body.ts'
import { signatureOf, toDeltaUsage, toServerToolUse } from './message.ts'
import { type Block, MessageCollector } from './message-collector.ts'
import type { MessagesCall } from './parse-request.ts'

/** Types of deltas, each with the field that holds its text */
const deltas = {
  text: ['text_delta', 'text'],
  thinking: ['thinking_delta', 'thinking'],
  tool_use: ['input_json_delta', 'partial_json'],
  server_tool_use: ['input_json_delta', 'partial_json'],
  signature: ['signature_delta', 'signature'],
} as const

const deltaEnd = '}}\n\n'

/**
 * Turns the events of one request into the frames of a message stream: `message_start`, blocks one after the other
 * with indices from 0 without gaps, `message_delta`, `message_stop`. Synchronous; keeps the text, of which signatures
 * are made.
 */
export class EventEncoder implements StreamEncoder {
  readonly #thinkingDisplay: MessagesCall['thinkingDisplay']
  readonly #context: Pick<AnswerContext, 'requestId' | 'docsUrl'>
  readonly #message: MessageCollector
  /** Beginning of each delta frame of the open block, up to its text */
  #prefix = ''

  constructor(call: Pick<MessagesCall, 'model' | 'thinkingDisplay'>, context: AnswerContext) {
    this.#thinkingDisplay = call.thinkingDisplay
    this.#context = context
    this.#message = new MessageCollector(call, context)
  }

  push(event: ChatEvent): string[] {
    const before = this.#message.open
    const text = this.#message.push(event)
    const { open, stop } = this.#message
    if (event.type === 'start') return [frame('message_start', { message: this.#message.end() }), ping]
    if (event.type === 'finish') {
      const delta = { stop_reason: null, stop_sequence: null, ...stop, stop_details: null, container: null }
      const serverUse = toServerToolUse(event.usage)
      const usage = { ...toDeltaUsage(event.usage), ...(serverUse && { server_tool_use: serverUse }) }
      return [frame('message_delta', { delta, usage })]
    }
    if (open === before) return this.#delta(text)
    const isCut = event.type === 'choice-finish' && event.reason === 'length'
    return [...this.#close(before, isCut), ...this.#start(open), ...this.#delta(text)]
  }

  end(): string[] {
    return [frame('message_stop', {})]
  }

  /** Returns the error. An open block stays open: clients discard the message. */
  fail(error: ApiError): string[] {
    const { docsUrl, requestId } = this.#context
    const { type, ...body } = toMessagesErrorBody(error, docsUrl(error.code), requestId)
    return [frame(type, body)]
  }

  keepAlive(): string {
    return ping
  }

  #start(block: Block | undefined): string[] {
    if (block === undefined) return []
    const { index, begun } = block
    // Results come whole with the start of their block.
    if (begun.type !== 'web_search_tool_result') this.#prefix = deltaPrefix(index, deltas[begun.type])
    return [frame('content_block_start', { index, content_block: begun })]
  }

  #delta(text: string): string[] {
    const isShown = this.#thinkingDisplay !== 'omitted' || this.#message.open?.begun.type !== 'thinking'
    return isShown && text !== '' ? [this.#prefix + toJsonLine(text) + deltaEnd] : []
  }

  /** Closes a block. `isCut` means that the output ended inside the block. */
  #close(block: Block | undefined, isCut: boolean): string[] {
    if (block === undefined) return []
    const { index, begun, text } = block
    const frames: string[] = []
    if (begun.type === 'thinking') {
      const signature = signatureOf(text, { isTextOmitted: this.#thinkingDisplay === 'omitted' })
      // The signature is sent once, at the end, because clients replace it rather than append to it.
      frames.push(deltaPrefix(index, deltas.signature) + toJsonLine(signature) + deltaEnd)
    }
    // A complete call without arguments gets an empty object as input.
    if (begun.type === 'tool_use' && text === '' && !isCut) frames.push(`${this.#prefix}"{}"${deltaEnd}`)
    return [...frames, frame('content_block_stop', { index })]
  }
}

/** Returns the beginning of a delta frame, up to its text. Made once per block, because deltas are most of a stream. */
function deltaPrefix(index: number, [type, field]: readonly [type: string, field: string]): string {
  const whole = frame('content_block_delta', { index, delta: { type, [field]: '' } })
  return whole.slice(0, -('""'.length + deltaEnd.length))
}

/**
 * Returns one event; clients skip those without a name. JSON text holds no raw line break, so one `data:` line is
 * enough.
 */
function frame(type: string, fields: object): string {
  return `event: ${type}\ndata: ${toJsonLine({ type, ...fields })}\n\n`
}

const ping = frame('ping', {})
