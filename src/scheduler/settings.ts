/** Operator's settings for memory and models. */
import type { PoolId } from '../core/memory.ts'

export interface SchedulerSettings {
  /** Settings by pool. Unlisted pools use defaults. */
  readonly pools: Readonly<Record<PoolId, PoolSettings>>
  readonly models: readonly ModelSettings[]
}

export interface PoolSettings {
  /**
   * Bytes kept free for other programs. Defaults to 3 % and at least 512 MiB of a device, 10 % and at least 2 GiB of
   * the host.
   */
  readonly keepBytes?: number
  /** Maximum bytes of all models together, however much is free. */
  readonly limitBytes?: number
}

export interface ModelSettings {
  readonly id: string
  /** Changes with the model's files or settings. Estimates and failures of other revisions are forgotten. */
  readonly revision: string
  /** Requests that its engine computes in parallel. */
  readonly parallel: number
  /**
   * Requests that its process accepts at once. More than `parallel`, so that the engine always has the next one at
   * hand.
   */
  readonly places: number
  /** Places of requests of one kind that no engine has begun (`waiting-room.ts`). */
  readonly maxWaiting: number
  readonly pinned: boolean
  /**
   * True if its process holds no memory of this machine: after a change of the model, the next one starts beside it.
   */
  readonly overlaps?: boolean
  /** True to load it at the server's start if there is room, and never unload it for being idle. */
  readonly preload: boolean
  /** Idle time after which it is unloaded. Undefined unloads it only for room. */
  readonly keepAliveMs?: number
  /** Guess of the load time by file size, until an estimate or a load gives a better one. */
  readonly loadMs: number
}
