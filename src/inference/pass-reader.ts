/** Reads one pass of an answer whose model may search: which events the client sees, and which calls are searches. */
import type { ChatEvent, ChatMessage, ToolCall } from '../core/chat.ts'
import { textContent } from '../core/content.ts'
import { type Consumption, nothingConsumed } from '../core/usage.ts'

type ChoiceFinish = Extract<ChatEvent, { type: 'choice-finish' }>

interface EndedPass {
  readonly finish: ChoiceFinish
  readonly usage: Consumption
  readonly isEstimated: boolean
  /** Complete calls of the search tool. Empty if the pass was cut. */
  readonly calls: readonly ToolCall[]
  /** True if the model called tools of the client too. */
  readonly hasClientCalls: boolean
  /** The pass as a message that its search calls belong to. */
  readonly message: ChatMessage
}

interface Call {
  readonly isSearch: boolean
  /** Index of the call as the client counts. */
  readonly index: number
  argumentsText: string
}

export class PassReader {
  readonly #toolName: string
  #text = ''
  #reasoning = ''
  readonly #calls = new Map<number, Call>()
  #finish: ChoiceFinish | undefined
  #usage: Consumption = nothingConsumed
  /** Number of searches so far, for ids of calls. */
  #searches = 0
  /** Tokens of pictures, counted once. */
  imageTokens = 0
  #isEstimated = false

  constructor(toolName: string) {
    this.#toolName = toolName
  }

  /** Returns the event as the client shall see it; undefined if it is not for the client. A start begins again. */
  read(event: ChatEvent): ChatEvent | undefined {
    switch (event.type) {
      case 'start':
        this.#reset()
        return event
      case 'text-delta':
        this.#text += event.text
        return event
      case 'reasoning-delta':
        this.#reasoning += event.text
        return event
      case 'tool-call-start': {
        const isSearch = event.name === this.#toolName
        const index = [...this.#calls.values()].filter((call) => !call.isSearch).length
        this.#calls.set(event.index, { isSearch, index, argumentsText: '' })
        return isSearch ? undefined : { ...event, index }
      }
      case 'tool-call-delta': {
        const call = this.#calls.get(event.index)
        if (call === undefined || !call.isSearch) return { ...event, index: call?.index ?? event.index }
        call.argumentsText += event.argumentsText
        return undefined
      }
      case 'choice-finish':
        this.#finish = event
        return undefined
      case 'finish':
        this.#usage = event.usage
        this.imageTokens = Math.max(this.imageTokens, event.imageTokens ?? 0)
        this.#isEstimated = event.isEstimated === true
        return undefined
      default:
        return event
    }
  }

  /** Returns the pass once its last event was read. */
  end(): EndedPass {
    const finish = this.#finish
    if (finish === undefined) throw new Error('the engine ended without a finish event: this is a bug')
    const all = [...this.#calls.values()]
    const searches = finish.reason === 'tool-calls' ? all.filter(({ isSearch }) => isSearch) : []
    const calls = searches.map(({ argumentsText }) => {
      return { id: `search_${++this.#searches}`, name: this.#toolName, argumentsText }
    })
    const hasClientCalls = all.some(({ isSearch }) => !isSearch)
    const message: ChatMessage = {
      role: 'assistant',
      content: textContent(this.#text),
      ...(this.#reasoning !== '' && { reasoning: this.#reasoning }),
      toolCalls: calls,
    }
    // Without a call of the client, a search was the answer's only reason to stop.
    const isSearchAlone = finish.reason === 'tool-calls' && !hasClientCalls
    return {
      finish: isSearchAlone ? { ...finish, reason: 'stop' } : finish,
      usage: this.#usage,
      isEstimated: this.#isEstimated,
      calls,
      hasClientCalls,
      message,
    }
  }

  #reset(): void {
    this.#text = ''
    this.#reasoning = ''
    this.#calls.clear()
    this.#finish = undefined
    this.#usage = nothingConsumed
  }
}
