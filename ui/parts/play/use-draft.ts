import { useState } from 'preact/hooks'

/** The playground's texts stay in this tab alone: nothing is stored elsewhere, and signing out clears them. */
const maximumCharacters = 1_000_000

/** A text that a reload does not lose. */
export function useDraft(name: string, initial = ''): readonly [text: string, setText: (text: string) => void] {
  const key = `inferd-draft-${name}`
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? initial)
  const change = (changed: string) => {
    setText(changed)
    if (changed.length <= maximumCharacters) sessionStorage.setItem(key, changed)
    else sessionStorage.removeItem(key)
  }
  return [text, change]
}

/** One text a line; empty lines are none. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
