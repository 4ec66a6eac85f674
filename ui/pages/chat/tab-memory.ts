/** The conversation in the memory of this tab: text alone, deleted with the tab and at sign-out. */

import { readConversation, writeConversation } from './conversation-file.ts'
import type { Chat } from './conversation-state.ts'

const name = 'inferd-chat'
const maximumCharacters = 1_000_000

/** Keeps the conversation, or its last exchanges where all of it is too long. */
function keepInTab(chat: Chat): void {
  for (let left = chat.exchanges.value.length; left >= 0; left = left === 0 ? -1 : Math.floor(left / 2)) {
    const text = JSON.stringify(writeConversation(chat, { hasPictures: false, last: left }))
    if (text.length > maximumCharacters) continue
    try {
      sessionStorage.setItem(name, text)
      return
    } catch {
      // There is no room for it; where the browser keeps nothing, a reload forgets the conversation.
    }
  }
}

/** Keeps the conversation when it changes and when the page may go; the returned function keeps it a last time and ends that. */
export function keepWhileShown(chat: Chat): () => void {
  let isLeaving = false
  // A browser that leaves the page breaks its requests off, which is no failure of theirs.
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
    // A page that shows the conversation later keeps it from then on.
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
