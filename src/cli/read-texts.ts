import { type ProcessIo, UsageError } from './io.ts'

/** Returns the typed words as one text, or the text from a pipe if there are none or `-`. Throws UsageError if both lack. */
export async function readTexts(words: readonly string[], io: ProcessIo): Promise<string> {
  const typed = words.join(' ')
  const text = typed === '' || typed === '-' ? await io.readInput?.({ mayType: true }) : typed
  if (text === undefined || text.trim() === '') throw new UsageError('there is no text; type it, or pipe it in')
  return text
}
