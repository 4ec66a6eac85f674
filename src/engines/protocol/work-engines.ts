/** The engines as use cases see them: they run work, and a meter decides how far. */
import type { InstalledModel } from '../../core/model.ts'
import type { RequestTrace } from '../../core/trace.ts'
import type { Consumption } from '../../core/usage.ts'
import type { Work, WorkEvent } from '../../core/work.ts'
import type { Estimate, Grant } from './request-events.ts'

/** Grants the amounts that a request may compute, and is called with the use of an abandoned request. */
export interface EngineMeter {
  /**
   * Grants the first part. The request's consumption is known, nothing is computed yet. Throwing refuses the request: `run` throws the same,
   * the engine drops the request, and nothing else is called. Called once more where the request is run again because its engine
   * ended: then it replaces all that was granted before.
   */
  begin(estimate: Estimate): Promise<Grant>
  /** The work nears the end of a grant that was not final. Throwing fails the request likewise. */
  extend(): Promise<Grant>
  /**
   * The engine has stopped working on a request that was given up (client gone, `return` called, or `extend` threw):
   * what it had computed. At most once, and only where `begin` has resolved; before the generator ends, and never while
   * `begin` or `extend` is pending. Not after a normal end, a failure that the engine reported, or its death.
   * `isEstimated`: the engine could not count it.
   */
  cancelled(used: Consumption, isEstimated: boolean): void
  /**
   * Called with each event as it arrives from the engine, before the reader takes it; with the last event once no grant is
   * being paid for. Not called after the request was given up.
   */
  heard?(event: WorkEvent): void
}

/** Grants everything: for benchmarks and tests, and for free work, which asks for nothing. */
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
   * Called when the work begins anew because its engine ended: all events so far are void, and those of the next run follow. Absent:
   * what was given cannot be taken back, so that only a request that has given no output is run again.
   */
  readonly onAgain?: (() => void) | undefined
  /** For engines that pass the request on to another server. */
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
