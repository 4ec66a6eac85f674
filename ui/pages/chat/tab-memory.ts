/** The conversation in the memory of this tab: text alone, gone with the tab and at sign-out. */
import type { Chat } from './conversation-state.ts'
import { readConversation, writeConversation } from './conversation-file.ts'

const name = 'inferd-chat'
const maximumCharacters = 1_000_000

/** Keeps what it can; of a conversation that is too long nothing. */
export function keepInTab(chat: Chat): void {
  const text = JSON.stringify(writeConversation(chat, { hasPictures: false }))
  try {
    if (text.length > maximumCharacters) sessionStorage.removeItem(name)
    else sessionStorage.setItem(name, text)
  } catch {
    // No room, or the browser keeps nothing: a reload forgets the conversation.
  }
}

export function restoreFromTab(chat: Chat): void {
  try {
    const text = sessionStorage.getItem(name)
    if (text !== null) readConversation(chat, JSON.parse(text))
  } catch {
    sessionStorage.removeItem(name)
  }
}
