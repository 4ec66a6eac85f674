/**
 * A request that has given nothing to its client outlives its engine: it is run once more, by the next process, whatever ended
 * the first, and again where the model was moved from the devices that two of them died on. Its hold stays, and only the last run is
 * charged.
 */
import { ApiError } from '../../core/errors.ts'
import type { WorkEvent } from '../../core/work.ts'
import type { Again } from '../../scheduler/events.ts'

/** The process that a request was for has ended before the request did. */
export class EngineEnded extends ApiError {
  /** True if the process had the request, and may have ended because of it. */
  readonly isSuspect: boolean
  /** Native code ended it, or it hung; not an operator, nor the system for want of memory. */
  readonly isCrash: boolean
  /** The process had the request. */
  readonly wasGiven: boolean
  /** Noun for the part of the request that it was encoding. */
  readonly encoding: string | undefined

  constructor(shown: ApiError, facts: Pick<EngineEnded, 'isSuspect' | 'isCrash' | 'wasGiven' | 'encoding'>) {
    super(shown.kind, shown.message, { ...shown, cause: shown.cause })
    this.isSuspect = facts.isSuspect
    this.isCrash = facts.isCrash
    this.wasGiven = facts.wasGiven
    this.encoding = facts.encoding
  }
}

export interface Outliving<Event> {
  /** Begins to run the request, by the process that serves its model then. `again` is undefined the first time. */
  readonly run: (again: Again | undefined) => AsyncGenerator<Event> | Promise<AsyncGenerator<Event>>
  /** See `RequestContext.onAgain`. */
  readonly onAgain: (() => void) | undefined
  /** Tells at each end of a process whether the model was moved to other devices for it: then that one may have been to blame. */
  readonly wasMoved?: () => boolean
  /** Returns the client's error when a second process has ended with the request. */
  readonly failure: (ended: EngineEnded) => ApiError
}

/**
 * Yields the events of the run that produced output. Throws the error of `run`, and that of `failure` for a second end.
 */
export async function* outliveEngine<Event extends WorkEvent>(options: Outliving<Event>): AsyncGenerator<Event> {
  const { run, onAgain, failure, wasMoved = () => false } = options
  const isWhole = onAgain !== undefined
  let hasStarted = false
  let again: Again | undefined
  while (true) {
    let hasGiven = false
    try {
      for await (const event of await run(again)) {
        const isRepeated = event.type === 'start' && hasStarted
        hasStarted = true
        hasGiven ||= event.type !== 'start'
        if (!isRepeated || isWhole) yield event
      }
      return
    } catch (error) {
      if (!(error instanceof EngineEnded)) throw error
      if (hasGiven && !isWhole) throw plain(error)
      const mayRunAgain = wasMoved() || again === undefined
      if (error.wasGiven && !mayRunAgain) throw failure(error)
      if (error.wasGiven) again = error.isSuspect ? 'suspect' : 'innocent'
      onAgain?.()
    }
  }
}

/** Returns the error for others, whose own requests may outlive their engine. */
function plain({ kind, message, cause, ...details }: EngineEnded): ApiError {
  return new ApiError(kind, message, { ...details, cause })
}
