import type { ChatEvent } from '../../core/chat.ts'
import type { ApiError } from '../../core/errors.ts'
import { unreachable } from '../../core/unreachable.ts'
import { nothingConsumed } from '../../core/usage.ts'
import type { AnswerContext, StreamEncoder } from '../dialect.ts'
import { toJsonLine } from '../sse-frame.ts'
import { toMessagesErrorBody } from './error-body.ts'
import {
  type ContentBlock,
  isBlank,
  signatureOf,
  toDeltaUsage,
  toInput,
  toMessage,
  toStop,
  type WireStop,
} from './message.ts'
import type { MessagesCall } from './parse-request.ts'

interface Block {
  /** As it begins. */
  readonly begun: ContentBlock
  /** A delta's frame up to its text. */
  readonly prefix: string
  text: string
}

/** Types of deltas and the fields that their text is in. */
const deltas = {
  text: ['text_delta', 'text'],
  thinking: ['thinking_delta', 'thinking'],
  tool_use: ['input_json_delta', 'partial_json'],
  signature: ['signature_delta', 'signature'],
} as const

const deltaEnd = '}}\n\n'

/**
 * Turns the events of one request into the frames of a message stream: `message_start`, blocks one after the other with
 * indices from 0 without gaps, `message_delta`, `message_stop`. The model may go from any kind of output to any other:
 * the open block is then closed and the next one opened. Synchronous; keeps the text, of which `message` is made.
 */
export class EventEncoder implements StreamEncoder {
  readonly #model: string
  readonly #thinkingDisplay: MessagesCall['thinkingDisplay']
  readonly #context: Pick<AnswerContext, 'newId' | 'requestId' | 'docsUrl'>
  readonly #id: string
  readonly #blocks: Block[] = []
  #open: Block | undefined
  /** White space that will begin a text block if text follows. */
  #blank = ''
  #stop: WireStop | null = null
  #usage = nothingConsumed

  constructor({ model, thinkingDisplay }: Pick<MessagesCall, 'model' | 'thinkingDisplay'>, context: AnswerContext) {
    this.#model = model
    this.#thinkingDisplay = thinkingDisplay
    this.#context = context
    this.#id = context.newId('msg_')
  }

  push(event: ChatEvent): string[] {
    switch (event.type) {
      case 'start': {
        const { promptTokens, cachedTokens } = event
        this.#usage = { ...nothingConsumed, promptTokens, cachedTokens }
        return [frame('message_start', { message: this.message() }), ping]
      }
      case 'text-delta':
        return event.text === '' ? [] : this.#text(event.text)
      case 'reasoning-delta':
        return event.text === '' || this.#thinkingDisplay === 'none' ? [] : this.#thinking(event.text)
      case 'tool-call-start':
        return this.#start({ type: 'tool_use', id: this.#context.newId('toolu_'), name: event.name, input: {} })
      case 'tool-call-delta':
        return event.argumentsText === '' ? [] : [this.#delta(event.argumentsText)]
      case 'choice-finish':
        this.#stop = toStop(
          event,
          this.#blocks.some(({ begun }) => begun.type === 'tool_use'),
        )
        return this.#close({ isCut: event.reason === 'length' })
      case 'finish': {
        this.#usage = event.usage
        const delta = { stop_reason: null, stop_sequence: null, ...this.#stop, stop_details: null, container: null }
        return [frame('message_delta', { delta, usage: toDeltaUsage(event.usage) })]
      }
      default:
        return unreachable(event)
    }
  }

  end(): string[] {
    return [frame('message_stop', {})]
  }

  /** Whatever block is open stays open: clients throw the message away. */
  fail(error: ApiError): string[] {
    const { docsUrl, requestId } = this.#context
    const { type, ...body } = toMessagesErrorBody(error, docsUrl(error.code), requestId)
    return [frame(type, body)]
  }

  keepAlive(): string {
    return ping
  }

  /** The message so far. */
  message() {
    const content = this.#blocks.map((block) => this.#whole(block))
    return toMessage({ id: this.#id, model: this.#model, content, stop: this.#stop, usage: this.#usage })
  }

  #text(text: string): string[] {
    if (this.#open?.begun.type === 'text') return [this.#delta(text)]
    const whole = this.#blank + text
    if (isBlank(text)) {
      this.#blank = whole
      return []
    }
    return [...this.#start({ type: 'text', text: '' }), this.#delta(whole)]
  }

  #thinking(text: string): string[] {
    const isOpen = this.#open?.begun.type === 'thinking'
    const frames = isOpen ? [] : this.#start({ type: 'thinking', thinking: '', signature: '' })
    this.#blank = ''
    const delta = this.#delta(text)
    return this.#thinkingDisplay === 'whole' ? [...frames, delta] : frames
  }

  /** Closes the open block and opens the next one. */
  #start(begun: ContentBlock): string[] {
    const frames = this.#close({ isCut: false })
    this.#blank = ''
    const index = this.#blocks.length
    this.#open = { begun, prefix: deltaPrefix(index, deltas[begun.type]), text: '' }
    this.#blocks.push(this.#open)
    return [...frames, frame('content_block_start', { index, content_block: begun })]
  }

  #delta(text: string): string {
    if (this.#open === undefined) throw new Error('a delta came without its block: this is a bug')
    this.#open.text += text
    return this.#open.prefix + toJsonLine(text) + deltaEnd
  }

  /** `isCut`: the output ended inside the block. */
  #close({ isCut }: { readonly isCut: boolean }): string[] {
    if (this.#open === undefined) return []
    const { begun, prefix, text } = this.#open
    const index = this.#blocks.length - 1
    this.#open = undefined
    const frames: string[] = []
    if (begun.type === 'thinking') {
      // Once, just before the end: clients replace the signature rather than append to it.
      frames.push(deltaPrefix(index, deltas.signature) + toJsonLine(this.#signature(text)) + deltaEnd)
    }
    // A whole call without arguments is one with an empty object.
    if (begun.type === 'tool_use' && text === '' && !isCut) frames.push(`${prefix}"{}"${deltaEnd}`)
    return [...frames, frame('content_block_stop', { index })]
  }

  #whole({ begun, text }: Block): ContentBlock {
    switch (begun.type) {
      case 'text':
        return { ...begun, text }
      case 'thinking':
        return {
          ...begun,
          thinking: this.#thinkingDisplay === 'omitted' ? '' : text,
          signature: this.#signature(text),
        }
      case 'tool_use':
        return { ...begun, input: toInput(text) }
      default:
        return unreachable(begun)
    }
  }

  #signature(thinking: string): string {
    return signatureOf(thinking, { isTextOmitted: this.#thinkingDisplay === 'omitted' })
  }
}

/** Deltas are most of a stream: everything of their frame but the text is made once a block. */
function deltaPrefix(index: number, [type, field]: readonly [type: string, field: string]): string {
  const whole = frame('content_block_delta', { index, delta: { type, [field]: '' } })
  return whole.slice(0, -('""'.length + deltaEnd.length))
}

/** One event; clients skip those without a name. JSON text holds no raw line break, so one `data:` line is enough. */
function frame(type: string, fields: object): string {
  return `event: ${type}\ndata: ${toJsonLine({ type, ...fields })}\n\n`
}

const ping = frame('ping', {})
