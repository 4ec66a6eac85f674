/**
 * A request without output so far survives the end of its engine, whatever the cause: the next process runs it once
 * more, or twice if the model was moved off the devices on which two engines died. It keeps its hold, and only the
 * last run is charged.
 */
import { ApiError } from '../../core/errors.ts'
import type { WorkEvent } from '../../core/work.ts'
import type { Again } from '../../scheduler/events.ts'

/** Error of a request whose process ended before the request did. */
export class EngineEnded extends ApiError {
  /** True if the process had the request, and may have ended because of it. */
  readonly isSuspect: boolean
  /** True if native code ended the process or it hung; false if an operator or a lack of memory ended it. */
  readonly isCrash: boolean
  /** True if the process had received the request. */
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

interface Outliving<Event> {
  /**
   * Starts the request on the process that serves its model now. `again` is undefined until a process ended with it.
   * `wasAdmitted`: it was admitted before, though perhaps to a process that ended before it had the request.
   */
  readonly run: (
    again: Again | undefined,
    wasAdmitted: boolean,
  ) => AsyncGenerator<Event> | Promise<AsyncGenerator<Event>>
  /** See `RequestContext.onAgain`. */
  readonly onAgain: (() => void) | undefined
  /**
   * Returns, at each end of a process, whether the model was moved to other devices because of it: the device may have
   * been at fault.
   */
  readonly wasMoved?: () => boolean
  /** Returns the client's error for the second process that ended with the request. */
  readonly failure: (ended: EngineEnded) => ApiError
}

/** Yields the events of the run that produced output. Throws the error of `run`, or of `failure` after a second end. */
export async function* outliveEngine<Event extends WorkEvent>(options: Outliving<Event>): AsyncGenerator<Event> {
  const { run, onAgain, failure, wasMoved = () => false } = options
  const isWhole = onAgain !== undefined
  let hasStarted = false
  let again: Again | undefined
  for (let wasAdmitted = false; ; wasAdmitted = true) {
    let hasGiven = false
    try {
      for await (const event of await run(again, wasAdmitted)) {
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

/** Returns the error as a plain ApiError, so that it is not retried as an end of the receiver's own engine. */
function plain({ kind, message, cause, ...details }: EngineEnded): ApiError {
  return new ApiError(kind, message, { ...details, cause })
}
