import { signal } from '@preact/signals'

interface Reading {
  /** Answer that is read: each has an object of its own. */
  readonly of: object
  readonly stop: () => void
}

/** The answer that is read aloud now. Undefined if there is none. */
export const reading = signal<Reading | undefined>(undefined)
