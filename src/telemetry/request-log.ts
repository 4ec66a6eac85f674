import type { RequestRecord } from '../core/request-record.ts'
import type { Consumption } from '../core/usage.ts'
import type { Log } from './log.ts'

/**
 * Writes the line of an ended request: `error` if the server is at fault, `debug` for successful routine requests, else
 * `info`.
 */
export function logRequest(log: Log, record: RequestRecord): void {
  const { status = 0, cause, isRoutine } = record
  const fields = logFieldsOf(record)
  if (status >= 500 || cause !== undefined) log.error(fields, 'request')
  else if (isRoutine === true && status < 400) log.debug(fields, 'request')
  else log.info(fields, 'request')
}

/** Returns the fields of the log line. The endpoint is left out, since the path contains it. */
function logFieldsOf(record: RequestRecord) {
  const {
    state: _state,
    arrivedAtMs: _arrivedAtMs,
    endpoint: _endpoint,
    isRoutine: _isRoutine,
    traceParent: _traceParent,
    ...shown
  } = record
  const { used, cause, durationMs, firstOutputMs, isEstimated, ...facts } = shown
  return {
    ...facts,
    durationMs: Math.round(durationMs),
    ...(isEstimated === true && { isEstimated }),
    ...(firstOutputMs !== undefined && { firstOutputMs: Math.round(firstOutputMs) }),
    ...(used !== undefined && countsOf(used)),
    ...(cause !== undefined && { err: cause }),
  }
}

/** Returns the tokens of a request, and characters and audio only if there are any. */
function countsOf({ promptTokens, cachedTokens, completionTokens, reasoningTokens, ...speech }: Consumption) {
  const counted = Object.entries(speech).filter(([, amount = 0]) => amount > 0)
  return { promptTokens, cachedTokens, completionTokens, reasoningTokens, ...Object.fromEntries(counted) }
}

/** Returns a log that never throws. Warns once in the process about lines that could not be written. */
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
