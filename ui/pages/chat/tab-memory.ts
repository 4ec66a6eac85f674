/** Conversation in the memory of this tab: text only, deleted with the tab and at sign-out. */

import { readConversation, writeConversation } from './conversation-file.ts'
import type { Chat } from './conversation-state.ts'

const name = 'inferd-chat'
const maximumCharacters = 1_000_000

/** Saves the conversation, or its last exchanges if all of it is too long. */
function keepInTab(chat: Chat): void {
  for (let left = chat.exchanges.value.length; left >= 0; left = left === 0 ? -1 : Math.floor(left / 2)) {
    const text = JSON.stringify(writeConversation(chat, { hasPictures: false, last: left }))
    if (text.length > maximumCharacters) continue
    try {
      sessionStorage.setItem(name, text)
      return
    } catch {
      // The storage is full: fewer exchanges are tried next. Without any storage, a reload loses the conversation.
    }
  }
}

/**
 * Saves the conversation when it changes and when the page may close, until the returned function is called, which
 * saves it a last time.
 */
export function keepWhileShown(chat: Chat): () => void {
  let isLeaving = false
  // Leaving the page cancels its requests, which must not be saved as failures.
  const keep = () => isLeaving || keepInTab(chat)
  const leave = () => {
    keep()
    isLeaving = true
  }
  const comeBack = () => {
    isLeaving = false
  }
  chat.onChange = keep
  addEventListener('pagehide', leave)
  addEventListener('pageshow', comeBack)
  document.addEventListener('visibilitychange', keep)
  return () => {
    removeEventListener('pagehide', leave)
    removeEventListener('pageshow', comeBack)
    document.removeEventListener('visibilitychange', keep)
    keep()
    // The next page that shows the conversation saves it again.
    chat.onChange = () => undefined
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
