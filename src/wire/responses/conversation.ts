import type { ChatMessage, ToolCall } from '../../core/chat.ts'
import { textContent } from '../../core/content.ts'

interface Turn {
  readonly reasoning: string[]
  readonly text: string[]
  readonly calls: ToolCall[]
}

/**
 * Puts input items together as messages. Items that stand next to each other and came from the model (thinking, text,
 * calls) are one assistant message, as the model made them.
 */
export class Conversation {
  readonly #messages: ChatMessage[] = []
  #turn: Turn | undefined
  readonly #callIds = new Set<string>()
  /** Ids of calls without a result yet, oldest first. */
  readonly #unanswered = new Set<string>()

  system(text: string): void {
    this.#add({ role: 'system', content: textContent(text) })
  }

  user(text: string): void {
    this.#add({ role: 'user', content: textContent(text) })
  }

  assistant(text: string): void {
    this.#openTurn().text.push(text)
  }

  reasoning(text: string): void {
    if (text !== '') this.#openTurn().reasoning.push(text)
  }

  call(call: ToolCall): void {
    this.#openTurn().calls.push(call)
    this.#callIds.add(call.id)
    this.#unanswered.add(call.id)
  }

  /**
   * What a call gave back. Some clients name no call: then it is the oldest one without a result. A result that no call
   * goes with is kept as a user's words.
   */
  result(callId: string | undefined, text: string): void {
    const id = callId ?? this.#unanswered.values().next().value
    if (id === undefined || !this.#callIds.has(id)) this.user(`Tool output:\n${text}`)
    else {
      this.#unanswered.delete(id)
      this.#add({ role: 'tool', content: textContent(text), toolCallId: id })
    }
  }

  messages(): ChatMessage[] {
    this.#closeTurn()
    return this.#messages
  }

  #add(message: ChatMessage): void {
    this.#closeTurn()
    this.#messages.push(message)
  }

  #openTurn(): Turn {
    this.#turn ??= { reasoning: [], text: [], calls: [] }
    return this.#turn
  }

  #closeTurn(): void {
    const turn = this.#turn
    if (turn === undefined) return
    this.#turn = undefined
    // Thinking that led to nothing: an answer that was broken off.
    if (turn.text.length === 0 && turn.calls.length === 0) return
    this.#messages.push({
      role: 'assistant',
      content: textContent(turn.text.join('\n\n')),
      ...(turn.reasoning.length === 0 ? {} : { reasoning: turn.reasoning.join('\n\n') }),
      ...(turn.calls.length === 0 ? {} : { toolCalls: turn.calls }),
    })
  }
}
