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
  }

  /** Adds an answer, or its part until it was stopped. Without any text the question is forgotten too. */
  answer(text: string): void {
    if (text.trim() === '') this.#messages.pop()
    else this.#messages.push({ role: 'assistant', content: text })
  }

  /** Takes the last answer back, so that its question is open again. Returns false if there is none. */
  reopen(): boolean {
    if (this.#messages.at(-1)?.role !== 'assistant') return false
    this.#messages.pop()
    return true
  }

  /** Forgets all messages. System text and settings stay. */
  clear(): void {
    this.#messages = []
  }

  /** Returns the body of the request for the next answer. */
  body(): object {
    const system = this.system === '' ? [] : [{ role: 'system', content: this.system } as const]
    return { model: this.model, messages: [...system, ...this.#messages], ...this.settings }
  }
}
