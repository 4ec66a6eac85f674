import type { Signal } from '@preact/signals'

/** The last change that removed content, and its reversal. */
export interface Undo {
  /** Description of the change. */
  readonly text: string
  readonly act: () => void
}

/** Makes a change. The returned function resets only the signals that the change itself has changed. */
export function watchChange(parts: readonly Signal[], change: () => void): () => void {
  const before = parts.map((part) => [part, part.peek() as unknown] as const)
  change()
  const changed = before.filter(([part, value]) => part.peek() !== value)
  return () => {
    for (const [part, value] of changed) part.value = value
  }
}
