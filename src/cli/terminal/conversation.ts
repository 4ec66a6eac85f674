import type { AnswerSettings } from './answer-settings.ts'
import type { Attachment, ContentPart } from './attachments.ts'

interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string | readonly ContentPart[]
}

/** Messages of one conversation, and how the model answers. */
export class Conversation {
  model: string
  system: string
  settings: AnswerSettings
  #messages: Message[] = []
  /** Message that got no answer, with its files. */
  #unanswered: Message | undefined
  /** Answer that a new one is to replace. */
  #former: Message | undefined

  constructor({ model, system, settings }: { model: string; system: string; settings: AnswerSettings }) {
    this.model = model
    this.system = system
    this.settings = settings
  }

  /** Adds a message of the user. */
  ask(text: string, attachments: readonly Attachment[] = []): void {
    const parts = attachments.map(({ part }) => part)
    const content = parts.length === 0 ? text : [...parts, { type: 'text', text } as const]
    this.#messages.push({ role: 'user', content })
    this.#unanswered = undefined
  }

  /**
   * Adds an answer, or its part until it was stopped. Without any text the former answer comes back, or the message is
   * taken out until `reopen`.
   */
  answer(text: string): void {
    const answer: Message | undefined = text.trim() === '' ? this.#former : { role: 'assistant', content: text }
    if (answer === undefined) this.#unanswered = this.#messages.pop()
    else this.#messages.push(answer)
    this.#former = undefined
  }

  /** Opens the last message again, answered or not. Returns false if there is none. */
  reopen(): boolean {
    if (this.#unanswered !== undefined) this.#messages.push(this.#unanswered)
    else if (this.#messages.at(-1)?.role === 'assistant') this.#former = this.#messages.pop()
    else return false
    this.#unanswered = undefined
    return true
  }

  /** Forgets all messages. System text and settings stay. */
  clear(): void {
    this.#messages = []
    this.#unanswered = undefined
  }

  /** Returns the body of the request for the next answer. */
  body(): object {
    const system = this.system === '' ? [] : [{ role: 'system', content: this.system } as const]
    return { model: this.model, messages: [...system, ...this.#messages], ...this.settings }
  }
}
