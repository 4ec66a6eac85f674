import { Unreadable } from '../images/unreadable.ts'
import type { DocumentAnswer, DocumentPage, DocumentQuestion } from './document-pages.ts'
import { readFrames } from './frames.ts'

/** Bytes of the text and the picture of one page. */
const pageLimitBytes = 64 * 1024 * 1024

export interface ReadDocumentOptions {
  /** Command that starts this program. */
  readonly command: readonly string[]
  /** Time limit. The child is killed at its end. */
  readonly limitMs: number
  readonly signal: AbortSignal
}

/**
 * Yields the pages of a document, read by a child process that ends with it. A thread would not do: nothing ends one
 * that loops inside WebAssembly. Throws Unreadable, and the signal's reason.
 */
export async function* readDocument(
  path: string,
  question: DocumentQuestion,
  { command, limitMs, signal }: ReadDocumentOptions,
): AsyncGenerator<DocumentPage> {
  signal.throwIfAborted()
  const child = Bun.spawn([...command, 'document', String(process.pid), JSON.stringify(question)], {
    // No further variables: the child reads foreign files and must not hold secrets.
    env: { DO_NOT_TRACK: '1' },
    stdin: Bun.file(path),
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const kill = () => child.kill('SIGKILL')
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    kill()
  }, limitMs)
  signal.addEventListener('abort', kill)
  try {
    for await (const frame of readFrames(child.stdout, pageLimitBytes)) {
      const answer = frame as DocumentAnswer // written by the same version of this program
      if (answer.type === 'unreadable') throw new Unreadable(answer.reason)
      if (answer.type === 'end') return
      yield answer.page
    }
    await child.exited
    signal.throwIfAborted()
    if (isLate) throw new Unreadable(`reading it takes more than ${limitMs / 1000} seconds`)
    throw new Unreadable('reading it failed', { cause: child.signalCode ?? child.exitCode })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', kill)
    kill()
    await child.exited
  }
}
