import type { ChatEvent } from '../../core/chat.ts'
import type { ApiError } from '../../core/errors.ts'
import { unreachable } from '../../core/unreachable.ts'
import type { StreamEncoder } from '../dialect.ts'
import { toJsonLine } from '../sse-frame.ts'
import { toMessagesErrorBody } from './error-body.ts'
import {
  type ContentBlock,
  isBlank,
  type MessageOptions,
  toDeltaUsage,
  toMessage,
  toStop,
  type WireStop,
} from './message.ts'
import { createSignature, type Signature } from './signature.ts'

/** The block that is being written. `prefix` is a delta's frame up to its text. */
type OpenBlock =
  | { readonly kind: 'text'; readonly prefix: string }
  | { readonly kind: 'thinking'; readonly prefix: string; readonly signature: Signature }
  | { readonly kind: 'tool-use'; readonly prefix: string; hasInput: boolean }

const deltaEnd = '}}\n\n'

/**
 * Turns the events of one request into the frames of a message stream: `message_start`, blocks one after the other with
 * indices from 0 without gaps, `message_delta`, `message_stop`. The model may go from any kind of output to any other:
 * the open block is then closed and the next one opened. Synchronous; keeps no text but thinking that is not shown.
 */
export class EventEncoder implements StreamEncoder {
  readonly #options: MessageOptions
  #open: OpenBlock | undefined
  /** White space that will begin a text block if text follows. */
  #blank = ''
  #nextIndex = 0
  #hasCalls = false
  #stop: WireStop | undefined

  constructor(options: MessageOptions) {
    this.#options = options
  }

  push(event: ChatEvent): string[] {
    switch (event.type) {
      case 'start':
        return this.#begin(event)
      case 'text-delta':
        return event.text === '' ? [] : this.#text(event.text)
      case 'reasoning-delta':
        return event.text === '' ? [] : this.#thinking(event.text)
      case 'tool-call-start':
        return this.#openToolUse(event.name)
      case 'tool-call-delta':
        return event.argumentsText === '' ? [] : this.#input(event.argumentsText)
      case 'choice-finish':
        this.#stop = toStop(event, this.#hasCalls)
        return this.#close({ isCut: event.reason === 'length' })
      case 'finish':
        return [this.#messageDelta(event)]
      default:
        return unreachable(event)
    }
  }

  end(): string[] {
    return [frame('message_stop', {})]
  }

  /** Whatever block is open stays open: clients throw the message away. */
  fail(error: ApiError): string[] {
    const { docsUrl, requestId } = this.#options
    const { type, ...body } = toMessagesErrorBody(error, docsUrl(error.code), requestId)
    return [frame(type, body)]
  }

  keepAlive(): string {
    return ping
  }

  #begin({ promptTokens, cachedTokens }: Extract<ChatEvent, { type: 'start' }>): string[] {
    const usage = { promptTokens, cachedTokens, completionTokens: 0, reasoningTokens: 0 }
    const message = toMessage(this.#options.envelope, { content: [], stop: null, usage })
    return [frame('message_start', { message }), ping]
  }

  #text(text: string): string[] {
    if (this.#open?.kind === 'text') return [this.#open.prefix + toJsonLine(text) + deltaEnd]
    const first = this.#blank + text
    if (isBlank(text)) {
      this.#blank = first
      return []
    }
    const frames = this.#start({ type: 'text', text: '' })
    const prefix = this.#deltaPrefix('text_delta', 'text')
    this.#open = { kind: 'text', prefix }
    return [...frames, prefix + toJsonLine(first) + deltaEnd]
  }

  #thinking(text: string): string[] {
    const { thinkingDisplay } = this.#options
    if (thinkingDisplay === 'none') return []
    let open = this.#open
    const frames: string[] = []
    this.#blank = ''
    if (open?.kind !== 'thinking') {
      frames.push(...this.#start({ type: 'thinking', thinking: '', signature: '' }))
      const signature = createSignature({ isTextOmitted: thinkingDisplay === 'omitted' })
      open = { kind: 'thinking', prefix: this.#deltaPrefix('thinking_delta', 'thinking'), signature }
      this.#open = open
    }
    open.signature.add(text)
    if (thinkingDisplay === 'whole') frames.push(open.prefix + toJsonLine(text) + deltaEnd)
    return frames
  }

  #openToolUse(name: string): string[] {
    const frames = this.#start({ type: 'tool_use', id: this.#options.newId('toolu_'), name, input: {} })
    this.#open = { kind: 'tool-use', prefix: this.#deltaPrefix('input_json_delta', 'partial_json'), hasInput: false }
    this.#hasCalls = true
    return frames
  }

  #input(argumentsText: string): string[] {
    if (this.#open?.kind !== 'tool-use') throw new Error('arguments came without their call: this is a bug')
    this.#open.hasInput = true
    return [this.#open.prefix + toJsonLine(argumentsText) + deltaEnd]
  }

  /** Closes the open block and opens the next one. */
  #start(block: ContentBlock): string[] {
    const frames = this.#close({ isCut: false })
    this.#blank = ''
    frames.push(frame('content_block_start', { index: this.#nextIndex, content_block: block }))
    this.#nextIndex++
    return frames
  }

  /** `isCut`: the output ended inside the block. */
  #close({ isCut }: { readonly isCut: boolean }): string[] {
    const open = this.#open
    if (open === undefined) return []
    this.#open = undefined
    const frames: string[] = []
    if (open.kind === 'thinking') {
      // Once, just before the end: clients replace the signature rather than append to it.
      frames.push(this.#deltaPrefix('signature_delta', 'signature') + toJsonLine(open.signature.end()) + deltaEnd)
    }
    // A whole call without arguments is one with an empty object.
    if (open.kind === 'tool-use' && !open.hasInput && !isCut) frames.push(`${open.prefix}"{}"${deltaEnd}`)
    frames.push(frame('content_block_stop', { index: this.#nextIndex - 1 }))
    return frames
  }

  #messageDelta({ usage }: Extract<ChatEvent, { type: 'finish' }>): string {
    const delta = { stop_reason: null, stop_sequence: null, ...this.#stop, stop_details: null, container: null }
    return frame('message_delta', { delta, usage: toDeltaUsage(usage) })
  }

  /** Deltas are most of a stream: everything of their frame but the text is made once a block. */
  #deltaPrefix(type: string, field: string): string {
    const whole = frame('content_block_delta', { index: this.#nextIndex - 1, delta: { type, [field]: '' } })
    return whole.slice(0, -('""'.length + deltaEnd.length))
  }
}

/** One event; clients skip those without a name. JSON text holds no raw line break, so one `data:` line is enough. */
function frame(type: string, fields: object): string {
  return `event: ${type}\ndata: ${toJsonLine({ type, ...fields })}\n\n`
}

const ping = frame('ping', {})
