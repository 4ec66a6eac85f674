/** Reasons for a child's end. Pure. */
import type { LoadFailure } from '../../core/model-state.ts'

export interface LastLine {
  readonly text: string
  readonly atMs: number
  /** True if only the runtime's crash report follows this line. */
  readonly isFinal?: boolean
}

/** Last messages and output of an ended child. Only for the operator, since they may name files and requests. */
export interface ExitEvidence {
  /** The child's own report of a failed load, which explains its exit better than the exit code. */
  readonly loadFailure?: { readonly code: LoadFailure; readonly message: string }
  /** Last line on stderr that is not part of the runtime's report of a crash. */
  readonly lastLine?: LastLine
  /** Reason why the server killed it. */
  readonly killedBecause?: string
  /** Noun for the parts of requests that it was encoding. */
  readonly encoding?: string | undefined
}

/**
 * `asked`: by the server. `killed`: from outside, usually for lack of memory. `crash`: native code ended it, or it
 * hung. `given-up`: by an operator, with its requests.
 */
export type EndCause = 'asked' | 'killed' | 'crash' | 'given-up'

/** Age in milliseconds above which the last stderr line does not explain an exit. */
const lastWordsMs = 2_000

/** First line of the runtime's crash report, in which only the panic line explains the crash. */
const reportBegins = /^={20,}$/
const reportMark = '='.repeat(20)
const panic = /^panic\(/

/** Warnings, and lines with a function's name but no further word: they do not explain an end. */
const saysNoReason = /^(?:\w+:\s*)?(?:WARN(?:ING)?\b.*|[^\p{L}\p{N}]*)$/u

/** Returns the last line that may explain a child's end, after one more line; undefined while there is none. */
export function lastLineOf(before: LastLine | undefined, text: string, atMs: number): LastLine | undefined {
  if (before?.isFinal === true && !isPanic(text)) return before
  if (reportBegins.test(text)) return before && { ...before, isFinal: true }
  return saysNoReason.test(text) ? before : { text, atMs, isFinal: isPanic(text) }
}

/** Lines of a child's error output that are kept. */
const keptLines = 20
const maximumLineLength = 400

/** Time and source position in ONNX Runtime's messages, often longer than the message itself. */
const onnxPlace = /^.*\[E:onnxruntime:.*\[ONNXRuntimeError\] : \d+ : \w+ : /

/**
 * Appends a line to a child's last lines. The runtime's crash report is left out, since it does not tell the reason.
 */
export function keepLine(lines: string[], text: string): void {
  const last = lines.at(-1) ?? ''
  // The rest of the report is advice for the runtime's developers.
  if (isPanic(last) || (last === reportMark && !isPanic(text))) return
  if (last === reportMark) lines.pop()
  lines.push(reportBegins.test(text) ? reportMark : text.replace(onnxPlace, '').slice(0, maximumLineLength))
  if (lines.length > keptLines) lines.shift()
}

/** Returns whether a line is the runtime's own panic message, which says no more than the signal. */
export function isPanic(line: string): boolean {
  return panic.test(line)
}

/** Returns the lines kept, without the mark of a crash report. */
export function keptOf(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => line !== reportMark)
}

/** Describes an exit. `reason` is the exit code or signal. */
export function describeExit(evidence: ExitEvidence, reason: string, atMs: number): string {
  const { loadFailure, lastLine, killedBecause, encoding } = evidence
  const place = encoding === undefined ? '' : ` while it encoded a ${encoding}`
  const cause = `${loadFailure?.message ?? killedBecause ?? reason}${place}`
  return lastLine !== undefined && atMs - lastLine.atMs < lastWordsMs ? `${cause}: ${lastLine.text}` : cause
}

/** Returns why the load of an ended child failed. SIGKILL from outside is how a system reclaims memory. */
export function loadFailureCode({ loadFailure, killedBecause }: ExitEvidence, reason: string): LoadFailure {
  if (loadFailure !== undefined) return loadFailure.code
  return killedBecause === undefined && reason === 'signal SIGKILL' ? 'out-of-memory' : 'other'
}

/** Returns whether native code ended the child. SIGKILL comes from outside, usually for lack of memory. */
export function isCrash({ loadFailure, killedBecause }: ExitEvidence, reason: string): boolean {
  return loadFailure === undefined && (killedBecause !== undefined || reason !== 'signal SIGKILL')
}
