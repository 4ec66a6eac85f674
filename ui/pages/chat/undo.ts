import type { Signal } from '@preact/signals'

/** The last change that took something away, and its reversal. */
export interface Undo {
  /** Says what has happened. */
  readonly text: string
  readonly act: () => void
}

/** Remembers the values of signals; the returned function sets them again. */
export function snapshot(parts: readonly Signal[]): () => void {
  const values = parts.map((part): unknown => part.peek())
  return () => {
    for (const [index, part] of parts.entries()) part.value = values[index]
  }
}
