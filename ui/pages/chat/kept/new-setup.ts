/** Settings of a conversation without messages, in the memory of this tab: a reload keeps them. */
import type { Chat } from '../conversation-state.ts'
import { fields, text, texts } from '../json-fields.ts'
import { readSettings } from '../settings.ts'
import { recall, remember } from './tab-memory.ts'

export function keepSetup({ models, system, settings, tools }: Chat): void {
  const setup = { models: models.peek(), system: system.peek(), settings: settings.peek(), tools: tools.peek() }
  remember('setup', JSON.stringify(setup))
}

export function readSetup(chat: Chat): void {
  const written = recall('setup')
  if (written === undefined) return
  const setup = fields(JSON.parse(written))
  const models = texts(setup.models)
  if (models.length > 0) chat.models.value = models
  chat.system.value = text(setup.system)
  chat.settings.value = readSettings(setup.settings)
  chat.tools.value = text(setup.tools)
}

export function forgetSetup(): void {
  remember('setup', undefined)
}
