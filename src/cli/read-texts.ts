import { type ProcessIo, UsageError } from './io.ts'

/** Returns whether the words are the text itself. None, and `-`, stand for text from a pipe. */
export function areText(words: readonly string[]): boolean {
  return !['', '-'].includes(words.join(' '))
}

/** Returns the typed words as one text, or the text from a pipe if there are none or `-`. Throws UsageError if both lack. */
export async function readTexts(words: readonly string[], io: ProcessIo): Promise<string> {
  const text = areText(words) ? words.join(' ') : await io.readInput?.({ mayType: true })
  if (text === undefined || text.trim() === '') throw new UsageError('there is no text; type it, or pipe it in')
  return text
}
