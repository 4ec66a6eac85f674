import type { Consumption, Usage } from '../core/usage.ts'
import type { Log } from './log.ts'

/** What is logged of a request: who, what, how long, how it ended. No text of prompts or answers. */
export interface RequestLine {
  readonly requestId: string
  readonly method: string
  /** Path without its query string. */
  readonly path: string
  readonly status: number
  readonly durationMs: number
  readonly accountId?: string | undefined
  readonly keyId?: string | undefined
  /** The caller's own id of the request: another box that passes requests on sends one. */
  readonly callerRequestId?: string | undefined
  /** Canonical id. */
  readonly model?: string | undefined
  /** Of a request to a model: path of the endpoint below /v1. */
  readonly endpoint?: string | undefined
  /** From the request's arrival to its first output. */
  readonly firstOutputMs?: number | undefined
  readonly usage?: (Usage & Partial<Consumption>) | undefined
  /** Error code of the contract, also of a stream that failed after its 200. */
  readonly code?: string | undefined
  readonly isStream?: boolean | undefined
  /** The client disconnected before the end. */
  readonly isAborted?: boolean | undefined
  /** A health check, a page or a file of the pages: there are many of them, and they say nothing where they succeed. */
  readonly isRoutine?: boolean | undefined
  /** What the request is worth, and how it ended, as on its receipt. */
  readonly costNanoUsd?: number | undefined
  readonly finish?: string | undefined
  /** `usage` was not counted. */
  readonly isEstimated?: true | undefined
  /** From arrival to the engine's acceptance of the prompt, when the model was loaded already. */
  readonly queuedMs?: number | undefined
  /** The same time when the model had to be loaded first. */
  readonly loadingMs?: number | undefined
  /** From the engine's acceptance to the end. */
  readonly runningMs?: number | undefined
  /** Private reason of a failure. */
  readonly cause?: unknown
}

/** Writes the one line that every request leaves: `error` for our own faults, `debug` for routine that succeeds, else `info`. */
export function logRequest(log: Log, line: RequestLine): void {
  // The path says what the endpoint is.
  const { usage, cause, durationMs, firstOutputMs, isRoutine, endpoint: _, ...facts } = line
  const fields = {
    ...facts,
    durationMs: Math.round(durationMs),
    ...(firstOutputMs === undefined ? {} : { firstOutputMs: Math.round(firstOutputMs) }),
    ...usage,
    ...(cause === undefined ? {} : { err: cause }),
  }
  if (line.status >= 500 || cause !== undefined) log.error(fields, 'request')
  else if (isRoutine === true && line.status < 400) log.debug(fields, 'request')
  else log.info(fields, 'request')
}

/** A log that never throws: the process warns once of lines that could not be written. */
export function neverThrowing<Line>(log: (line: Line) => void): (line: Line) => void {
  let hasWarned = false
  return (line) => {
    try {
      log(line)
    } catch (error) {
      if (!hasWarned) process.emitWarning(`a log line could not be written: ${String(error)}`)
      hasWarned = true
    }
  }
}
