/** The engines as seen by use cases: they run work, and a meter limits it. */
import type { InstalledModel } from '../../core/model.ts'
import type { RequestTrace } from '../../core/trace.ts'
import type { Consumption } from '../../core/usage.ts'
import type { Work, WorkEvent } from '../../core/work.ts'
import type { Estimate, Grant } from './request-events.ts'

/** Grants the amounts that a request may compute, and receives the use of an abandoned request. */
export interface EngineMeter {
  /**
   * Grants the first part, when the request's consumption is known and nothing is computed yet. Throwing refuses the
   * request: `run` throws the same error, the engine drops the request, and nothing else is called. Called once more
   * if the request is run again because its engine ended: the new grant then replaces all earlier ones.
   */
  begin(estimate: Estimate): Promise<Grant>
  /** Grants more, when the work nears the end of a grant that was not final. Throwing fails the request likewise. */
  extend(): Promise<Grant>
  /**
   * Called after the engine has stopped work on an abandoned request (client gone, `return` called, or `extend`
   * threw), with what it had computed. Called at most once, only if `begin` has resolved, before the generator ends,
   * and never while `begin` or `extend` is pending. Not called after a normal end, a failure that the engine reported,
   * or its death. `isEstimated`: the engine could not count.
   */
  cancelled(used: Consumption, isEstimated: boolean): void
  /**
   * Called with each event on arrival from the engine, before the reader takes it; with the last event only once no
   * grant is pending. Not called after the request was given up.
   */
  heard?(event: WorkEvent): void
}

/** Meter that grants everything: for benchmarks and tests, and for free work. */
export const unlimited: EngineMeter = {
  begin: async ({ most }) => ({ limit: most, isFinal: true }),
  extend: () => Promise.reject(new Error('a final grant is not extended: this is a bug')),
  cancelled: () => undefined,
}

/** Account, limits and meter of a request. */
export interface RequestContext {
  readonly accountId: string
  readonly signal: AbortSignal
  /** Longest time to wait for the model. Undefined uses the server's limit. */
  readonly waitLimitMs?: number | undefined
  /** Milliseconds that the model stays loaded without requests after this one. Undefined keeps the model's value. */
  readonly keepAliveMs?: number | undefined
  readonly meter: EngineMeter
  /**
   * Called when the work starts over because its engine ended: all events so far are void, and those of the next run
   * follow. If absent, output cannot be taken back, so only a request without output is run again.
   */
  readonly onAgain?: (() => void) | undefined
  /** For engines that call another server. */
  readonly trace?: RequestTrace | undefined
}

/** The part of the engine pool that use cases need. */
export interface WorkEngines {
  /** See `HostedEngine.run`. */
  run<Asked extends Work>(
    model: InstalledModel,
    work: Asked,
    context: RequestContext,
  ): AsyncGenerator<WorkEvent<Asked['kind']>>
}
