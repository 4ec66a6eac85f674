/** What the operator decides about memory and models. */
import type { PoolId } from '../core/memory.ts'

export interface SchedulerSettings {
  /** Pools that are not listed have defaults. */
  readonly pools: Readonly<Record<PoolId, PoolSettings>>
  readonly models: readonly ModelSettings[]
  /** Requests of one account that may wait for one model. */
  readonly waitingPerAccount: number
}

export interface PoolSettings {
  /** Stays free for others. Default: 3 % and at least 512 MiB of a device, 10 % and at least 2 GiB of the host. */
  readonly keepBytes?: number
  /** All models together use no more, however much is free. */
  readonly limitBytes?: number
}

export interface ModelSettings {
  readonly id: string
  /** Changes when the model's files or settings do: estimates and failures of another revision are forgotten. */
  readonly revision: string
  /** Requests that its engine works on side by side. */
  readonly parallel: number
  /** Requests that its process takes at once. More than `parallel`, so that the engine always has the next one at hand. */
  readonly places: number
  /** Requests that may wait for it here. An account with none waiting is let in beyond, up to twice as many. */
  readonly waitingLimit: number
  readonly pinned: boolean
  /** Its process holds no memory of this machine: when the model changes, the next one starts beside it. */
  readonly overlaps?: boolean
  /** Loaded at the start of the server where there is room, and never unloaded for being idle. */
  readonly preload: boolean
  /** Idle for so long, it is unloaded; undefined: only for room. */
  readonly keepAliveMs?: number
  /** A guess by the size of its files, until the estimate or a load tells. */
  readonly loadMs: number
  /** Known before its first request; 0 where it is not. */
  readonly arrivalsPerSecond?: number
}
