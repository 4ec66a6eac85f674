/** Memory of this tab, which a reload keeps and the end of the tab deletes. */
import { newId } from '../conversation.ts'

const names = { shown: 'inferd-chat-shown', tab: 'inferd-chat-tab', setup: 'inferd-chat-setup' } as const

/** Returns a text of the memory. Undefined if there is none, also where the browser allows no memory. */
export function recall(name: keyof typeof names): string | undefined {
  try {
    return sessionStorage.getItem(names[name]) ?? undefined
  } catch {
    return undefined
  }
}

export function remember(name: keyof typeof names, text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(names[name])
    else sessionStorage.setItem(names[name], text)
  } catch {
    // The memory is full or not allowed, so a reload loses the text.
  }
}

/** Deletes everything that conversations left in the memory, drafts of edited messages included. */
export function forgetAll(): void {
  for (const name of Object.values(names)) sessionStorage.removeItem(name)
  for (const name of Object.keys(sessionStorage))
    if (name.startsWith('inferd-draft-chat-')) sessionStorage.removeItem(name)
}

let tab: number | undefined

/** Returns the number of this tab. While the page is open the memory has none, so that a duplicated tab gets another. */
export function takeTab(): number {
  tab ??= Number(recall('tab')) || newId()
  remember('tab', undefined)
  return tab
}

/** Writes the number of this tab into the memory, for the page after a reload. */
export function leaveTab(): void {
  if (tab !== undefined) remember('tab', String(tab))
}
