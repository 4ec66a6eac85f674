import { type Stats, statSync } from 'node:fs'
import { GgufError } from './gguf-error.ts'

/**
 * What lies at a path that an operator wrote: undefined when nothing does, GgufError when the path leads nowhere (a loop
 * of links, a folder that is closed to us).
 */
export function statFile(path: string): Stats | GgufError | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    return unreadable(error)
  }
}

/** The system's refusal by its code. Its message names the path, and everyone may see why a model is broken. */
export function unreadable(error: unknown): GgufError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  return new GgufError(`can not be read (${code})`)
}
