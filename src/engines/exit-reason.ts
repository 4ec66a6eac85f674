/** Why a child ended. Pure. */
import type { LoadFailure } from './protocol.ts'

export interface LastLine {
  readonly text: string
  readonly atMs: number
  /** What follows is the runtime's report of a crash. */
  readonly isFinal?: boolean
}

/** What a child said and wrote before it ended. For the operator alone: it may name files and requests. */
export interface ExitEvidence {
  /** What the child said about a load that failed: explains its exit better than the exit code. */
  readonly loadFailure?: { readonly code: LoadFailure; readonly message: string }
  /** Its last line on the error output that is not part of the runtime's report of a crash. */
  readonly lastLine?: LastLine
  /** Why the server killed it. */
  readonly killedBecause?: string
  /** It encoded pictures. */
  readonly isEncoding?: boolean
}

/** An older line on the error output is about something else. */
const lastWordsMs = 2_000

/** With this the runtime's report of a crash begins. Of it, the panic alone explains something. */
const reportBegins = /^={20,}$/

export function lastLineOf(before: LastLine | undefined, text: string, atMs: number): LastLine {
  const isPanic = text.startsWith('panic(')
  if (before?.isFinal === true && !isPanic) return before
  return before !== undefined && reportBegins.test(text)
    ? { ...before, isFinal: true }
    : { text, atMs, isFinal: isPanic }
}

/** `reason` is the exit code or signal. */
export function describeExit(evidence: ExitEvidence, reason: string, atMs: number): string {
  const { loadFailure, lastLine, killedBecause, isEncoding = false } = evidence
  const place = isEncoding ? ' while it encoded a picture' : ''
  const cause = `${loadFailure?.message ?? killedBecause ?? reason}${place}`
  return lastLine !== undefined && atMs - lastLine.atMs < lastWordsMs ? `${cause}: ${lastLine.text}` : cause
}

/** Why a load failed whose child has ended. SIGKILL from outside is how a system takes memory back. */
export function loadFailureCode({ loadFailure, killedBecause }: ExitEvidence, reason: string): LoadFailure {
  if (loadFailure !== undefined) return loadFailure.code
  return killedBecause === undefined && reason === 'signal SIGKILL' ? 'out-of-memory' : 'other'
}

/** Whether native code brought the child down. SIGKILL comes from outside, usually because memory ran out. */
export function isCrash({ loadFailure, killedBecause }: ExitEvidence, reason: string): boolean {
  return loadFailure === undefined && (killedBecause !== undefined || reason !== 'signal SIGKILL')
}
