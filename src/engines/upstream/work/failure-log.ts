import type { Clock } from '../../../core/clock.ts'
import { isObject, objectIn } from '../../../core/json.ts'
import type { EngineLogLine } from '../../protocol/engine.ts'
import type { UpstreamFailure } from '../http/failure.ts'
import { withoutKey } from '../http/open-answer.ts'
import { failureRule, fault } from './failures.ts'

interface FailureLogOptions {
  readonly modelId: string
  /** Key of the model's servers. */
  readonly key?: string | undefined
  readonly clock: Clock
  readonly log: (line: EngineLogLine) => void
  /** True to log what the server says, in which it may quote prompts. */
  readonly logsText: boolean
}

const pauseMs = 1_000

/**
 * Logs failures of a model's servers for the operator: at most one line per second, with the number of other failures.
 */
export class FailureLog {
  readonly #options: FailureLogOptions
  #nextAtMs = Number.NEGATIVE_INFINITY
  #unsaid = 0

  constructor(options: FailureLogOptions) {
    this.#options = options
  }

  /** Logs a failure of the endpoint at `url`. */
  add(failure: UpstreamFailure, url: string): void {
    this.#say(() => failureLine(failure, url, this.#options))
  }

  /** Logs an error that is not a server's failure and therefore a bug. */
  addOwn(error: unknown): void {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    this.#say(() => ({ level: 'error', message: `an error in the engine: ${message}` }))
  }

  #say(line: () => Pick<EngineLogLine, 'level' | 'message'>): void {
    const { modelId, clock, log } = this.#options
    const nowMs = clock.nowMs()
    if (nowMs < this.#nextAtMs) {
      this.#unsaid++
      return
    }
    const { level, message } = line()
    const more = this.#unsaid === 0 ? '' : `; ${this.#unsaid} more failures since the last such line`
    this.#nextAtMs = nowMs + pauseMs
    this.#unsaid = 0
    log({ modelId, level, message: message + more })
  }
}

/** Most characters of the server's own text in a log line. */
const detailLength = 300

/** Returns the line for the operator: server, problem and remedy. Removes `key`, which the server may quote. */
function failureLine(
  error: UpstreamFailure,
  url: string,
  { key, logsText }: Pick<FailureLogOptions, 'key' | 'logsText'>,
): Pick<EngineLogLine, 'level' | 'message'> {
  const { level, advice } = failureRule(error) ?? fault
  const said = logsText ? ownWords(error.detail, key) : ''
  const detail = said === '' ? '' : ` (it says: ${said})`
  return { level, message: `${url}: ${error.message}; ${advice}${detail}` }
}

/** Returns the server's own text about an error on one line, without the key and parts of the request. */
export function ownWords(detail: string, key?: string): string {
  const [text = ''] = withoutKey(messageOf(detail), key).split(/['"]?\binput\b['"]?\s*[:=]/)
  const line = text.replace(/[\p{C}\s]+/gu, ' ').trim()
  return line.length > detailLength ? `${line.slice(0, detailLength)}…` : line
}

function messageOf(detail: string): string {
  const { error, ...body } = objectIn(detail) ?? {}
  const message = (isObject(error) ? error.message : undefined) ?? body.message ?? body.detail ?? error
  return typeof message === 'string' ? message : detail
}
