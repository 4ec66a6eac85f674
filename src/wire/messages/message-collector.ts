import type { ChatEvent } from '../../core/chat.ts'
import { unreachable } from '../../core/unreachable.ts'
import type { AnswerCollector } from '../dialect.ts'
import { type ContentBlock, isBlank, type MessageOptions, toMessage, toStop, type WireStop } from './message.ts'
import { createSignature } from './signature.ts'

export type MessageCollectorOptions = Pick<MessageOptions, 'envelope' | 'thinkingDisplay' | 'newId'>

interface CollectedBlock {
  readonly kind: 'text' | 'thinking' | 'tool-use'
  readonly name: string
  text: string
}

/** Gathers the events of one request into a message. Its blocks are those that a stream of the same events has. */
export class MessageCollector implements AnswerCollector {
  readonly #options: MessageCollectorOptions
  readonly #blocks: CollectedBlock[] = []
  /** White space that will begin a text block if text follows. */
  #blank = ''
  #stop: WireStop | null = null
  #usage = { promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 }

  constructor(options: MessageCollectorOptions) {
    this.#options = options
  }

  push(event: ChatEvent): void {
    switch (event.type) {
      case 'start':
        return
      case 'text-delta':
        this.#text(event.text)
        return
      case 'reasoning-delta':
        if (event.text !== '' && this.#options.thinkingDisplay !== 'none') this.#blockOf('thinking').text += event.text
        return
      case 'tool-call-start':
        this.#blank = ''
        this.#blocks.push({ kind: 'tool-use', name: event.name, text: '' })
        return
      case 'tool-call-delta':
        this.#blockOf('tool-use').text += event.argumentsText
        return
      case 'choice-finish':
        this.#stop = toStop(
          event,
          this.#blocks.some(({ kind }) => kind === 'tool-use'),
        )
        return
      case 'finish':
        this.#usage = event.usage
        return
      default:
        unreachable(event)
    }
  }

  end() {
    const content = this.#blocks.map((block) => this.#toWire(block))
    return toMessage(this.#options.envelope, { content, stop: this.#stop, usage: this.#usage })
  }

  #text(text: string): void {
    const last = this.#blocks.at(-1)
    const first = this.#blank + text
    if (last?.kind === 'text') last.text += text
    else if (isBlank(text)) this.#blank = first
    else this.#blockOf('text').text = first
  }

  /** The last block if it is of this kind, or a new one. */
  #blockOf(kind: CollectedBlock['kind']): CollectedBlock {
    this.#blank = ''
    const last = this.#blocks.at(-1)
    if (last?.kind === kind) return last
    const block = { kind, name: '', text: '' }
    this.#blocks.push(block)
    return block
  }

  #toWire({ kind, name, text }: CollectedBlock): ContentBlock {
    const { thinkingDisplay, newId } = this.#options
    switch (kind) {
      case 'text':
        return { type: 'text', text }
      case 'thinking': {
        const isTextOmitted = thinkingDisplay === 'omitted'
        const signature = createSignature({ isTextOmitted })
        signature.add(text)
        return { type: 'thinking', thinking: isTextOmitted ? '' : text, signature: signature.end() }
      }
      case 'tool-use':
        return { type: 'tool_use', id: newId('toolu_'), name, input: toInput(text) }
      default:
        return unreachable(kind)
    }
  }
}

/** A call that a limit cut is an empty object: the field has no room for text, and `stop_reason` says that it was cut. */
function toInput(argumentsText: string): object {
  try {
    const input: unknown = JSON.parse(argumentsText)
    return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {}
  } catch {
    return {} // no JSON: nothing to hand on
  }
}
