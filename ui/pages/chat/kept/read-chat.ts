/** Stored conversations as conversations of the page. */
import type { Exchange } from '../conversation.ts'
import { Chat } from '../conversation-state.ts'
import { readExchange, readPictures, writeExchange } from './exchange-record.ts'
import type { ExchangeRecord, KeptConversation } from './records.ts'

/** Returns a stored conversation as the page shows it. */
export async function toChat({ conversation, exchanges, pictures }: KeptConversation): Promise<Chat> {
  const chat = new Chat(conversation.id)
  const urls = await readPictures(pictures)
  chat.all.value = exchanges.map((exchange) => readExchange(exchange, urls))
  chat.leaf.value = conversation.leaf
  if (conversation.models.length > 0) chat.models.value = conversation.models
  chat.system.value = conversation.system
  chat.settings.value = conversation.settings
  chat.tools.value = conversation.tools
  return chat
}

/** Returns the stored exchanges that differ from those of the page. */
export async function changedExchanges(chat: Chat, { exchanges, pictures }: KeptConversation): Promise<Exchange[]> {
  const own = new Map(chat.all.peek().map((one) => [one.id, JSON.stringify(writeExchange(chat.id, one))]))
  // A growing answer whose tab has ended looks the same, but is read as stopped.
  const isChanged = (record: ExchangeRecord) =>
    record.growingAtMs !== undefined || own.get(record.id) !== JSON.stringify(record)
  const changed = exchanges.filter(isChanged)
  if (changed.length === 0) return []
  const urls = await readPictures(pictures)
  return changed.map((record) => readExchange(record, urls))
}

/** Tells whether another tab is receiving an answer of the exchange. */
export function isElsewhere({ answers }: Exchange): boolean {
  return answers.some((answer) => answer?.steps.some((step) => step.isElsewhere))
}
