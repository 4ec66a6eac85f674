import { useState } from 'preact/hooks'

/** Longest draft that is kept. Drafts stay in this tab only, and signing out deletes them. */
const maximumCharacters = 1_000_000

/** Returns a text that survives a reload, and the function that changes it. */
export function useDraft(name: string, initial = ''): readonly [text: string, setText: (text: string) => void] {
  const key = `inferd-draft-${name}`
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? initial)
  const change = (changed: string) => {
    setText(changed)
    if (changed.length > maximumCharacters) sessionStorage.removeItem(key)
    else keepInSession(key, changed)
  }
  return [text, change]
}

function keepInSession(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text)
  } catch {
    // The storage is full, so a reload loses the text.
  }
}

/** Returns one text per non-empty line. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
