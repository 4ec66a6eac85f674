import type { ChatMessage, ToolCall } from '../../core/chat.ts'
import { type ContentPiece, toContent } from '../chat/content-pieces.ts'

interface Turn {
  readonly reasoning: string[]
  readonly said: ContentPiece[]
  readonly calls: ToolCall[]
}

/**
 * Builds messages from input items. Adjacent items of the model (thinking, text, calls) form one assistant message, as
 * the model wrote them.
 */
export class Conversation {
  readonly #messages: ChatMessage[] = []
  #turn: Turn | undefined
  readonly #callIds = new Set<string>()
  /** Ids of calls without a result yet, oldest first. */
  readonly #unanswered = new Set<string>()

  system(pieces: readonly ContentPiece[]): void {
    this.#add({ role: 'system', content: toContent(pieces, '') })
  }

  user(pieces: readonly ContentPiece[]): void {
    this.#add({ role: 'user', content: toContent(pieces, '') })
  }

  assistant(pieces: readonly ContentPiece[]): void {
    this.#openTurn().said.push(...pieces)
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
   * Adds a tool's result. A result without a call's id belongs to the oldest unanswered call. A result that matches
   * no call becomes a user's text. With pictures it stays a tool's result, which models that read only text are told
   * about.
   */
  result(callId: string | undefined, pieces: readonly ContentPiece[]): void {
    const id = callId ?? this.#unanswered.values().next().value
    const isAnswer = id !== undefined && this.#callIds.has(id)
    if (!isAnswer && pieces.every((piece) => typeof piece === 'string')) {
      this.user(['Tool output:\n', ...pieces])
      return
    }
    if (isAnswer) this.#unanswered.delete(id)
    this.#add({ role: 'tool', content: toContent(pieces, ''), ...(id === undefined ? {} : { toolCallId: id }) })
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
    this.#turn ??= { reasoning: [], said: [], calls: [] }
    return this.#turn
  }

  #closeTurn(): void {
    const turn = this.#turn
    if (turn === undefined) return
    this.#turn = undefined
    // Thinking without text or calls comes from a cut answer.
    if (turn.said.length === 0 && turn.calls.length === 0) return
    this.#messages.push({
      role: 'assistant',
      content: toContent(turn.said, '\n\n'),
      ...(turn.reasoning.length === 0 ? {} : { reasoning: turn.reasoning.join('\n\n') }),
      ...(turn.calls.length === 0 ? {} : { toolCalls: turn.calls }),
    })
  }
}
