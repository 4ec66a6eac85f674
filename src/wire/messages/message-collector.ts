import type { ChatEvent } from '../../core/chat.ts'
import { unreachable } from '../../core/unreachable.ts'
import { type Consumption, nothingConsumed } from '../../core/usage.ts'
import type { AnswerCollector, AnswerContext } from '../dialect.ts'
import {
  type ContentBlock,
  isBlank,
  searchResultBlock,
  searchUse,
  signatureOf,
  toInput,
  toMessage,
  toStop,
  type WireStop,
} from './message.ts'
import type { MessagesCall } from './parse-request.ts'

export interface Block {
  readonly index: number
  /** Initial state of the block. */
  readonly begun: ContentBlock
  text: string
}

/**
 * Collects the events of one request into a message. The model may switch between any kinds of output: the open block
 * is then closed and the next one opened.
 */
export class MessageCollector implements AnswerCollector {
  readonly #model: string
  readonly #thinkingDisplay: MessagesCall['thinkingDisplay']
  readonly #newId: AnswerContext['newId']
  readonly #id: string
  readonly #blocks: Block[] = []
  /** Block that the model is writing. */
  open: Block | undefined
  stop: WireStop | null = null
  /** White space held back as the beginning of a text block, in case text follows */
  #blank = ''
  #usage: Consumption = nothingConsumed
  /** Id of the latest search. */
  #searchId = ''

  constructor({ model, thinkingDisplay }: Pick<MessagesCall, 'model' | 'thinkingDisplay'>, { newId }: AnswerContext) {
    this.#model = model
    this.#thinkingDisplay = thinkingDisplay
    this.#newId = newId
    this.#id = newId('msg_')
  }

  /** Returns the text that the event added to the open block. */
  push(event: ChatEvent): string {
    switch (event.type) {
      case 'start': {
        const { promptTokens, cachedTokens } = event
        this.#usage = { ...nothingConsumed, promptTokens, cachedTokens }
        return ''
      }
      case 'text-delta':
        return this.open?.begun.type === 'text' ? this.#add(event.text) : this.#beginText(event.text)
      case 'reasoning-delta':
        if (event.text === '' || this.#thinkingDisplay === 'none') return ''
        if (this.open?.begun.type !== 'thinking') this.#start({ type: 'thinking', thinking: '', signature: '' })
        this.#blank = ''
        return this.#add(event.text)
      case 'tool-call-start':
        this.#start({ type: 'tool_use', id: this.#newId('toolu_'), name: event.name, input: {} })
        return ''
      case 'tool-call-delta':
        return this.#add(event.argumentsText)
      case 'search-start':
        this.#searchId = this.#newId('srvtoolu_')
        this.#start(searchUse(this.#searchId))
        return this.#add(JSON.stringify({ query: event.query }))
      case 'search-finish':
        this.#start(searchResultBlock(this.#searchId, event.outcome))
        return ''
      case 'prompt-scores':
        return '' // not requested by messages
      case 'choice-finish':
        this.stop = toStop(
          event,
          this.#blocks.some(({ begun }) => begun.type === 'tool_use'),
        )
        this.open = undefined
        return ''
      case 'finish':
        this.#usage = event.usage
        return ''
      default:
        return unreachable(event)
    }
  }

  /** Returns the message so far. */
  end() {
    const content = this.#blocks.map((block) => this.#whole(block))
    return toMessage({ id: this.#id, model: this.#model, content, stop: this.stop, usage: this.#usage })
  }

  #beginText(text: string): string {
    const whole = this.#blank + text
    if (isBlank(text)) {
      this.#blank = whole
      return ''
    }
    this.#start({ type: 'text', text: '' })
    return this.#add(whole)
  }

  /** Closes the open block and opens the next one. */
  #start(begun: ContentBlock): void {
    this.#blank = ''
    this.open = { index: this.#blocks.length, begun, text: '' }
    this.#blocks.push(this.open)
  }

  #add(text: string): string {
    if (this.open === undefined) throw new Error('a delta came without its block: this is a bug')
    this.open.text += text
    return text
  }

  #whole({ begun, text }: Block): ContentBlock {
    const isTextOmitted = this.#thinkingDisplay === 'omitted'
    switch (begun.type) {
      case 'text':
        return { ...begun, text }
      case 'thinking':
        return { ...begun, thinking: isTextOmitted ? '' : text, signature: signatureOf(text, { isTextOmitted }) }
      case 'tool_use':
      case 'server_tool_use':
        return { ...begun, input: toInput(text) }
      case 'web_search_tool_result':
        return begun
      default:
        return unreachable(begun)
    }
  }
}
