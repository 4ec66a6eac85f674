/** Memory of this machine, and the memory that models need. All sizes are bytes. */

/** Memory shared by models: `host`, or a device such as `gpu0`. A device that uses the host's memory is `host` too. */
export type PoolId = string

/** Bytes by pool. Absent pools have none. */
export type MemoryBytes = Readonly<Record<PoolId, number>>

/** One way to hold a model in memory. A model's placements are ordered, the fastest first. */
export interface Placement {
  /** Key among the model's placements, under which measurements are stored. */
  readonly key: string
  /** Label for people, such as `gpu0`, `gpu0, 3 of 48 expert blocks on the CPU`, `CPU`. */
  readonly label: string
  /** Total need of the engine process: weights, caches, compute buffers and the process itself. */
  readonly needBytes: MemoryBytes
  /**
   * Speed rank. Equal ranks are equally fast, such as similar devices. Without ranks each placement is slower than the
   * one before.
   */
  readonly rank?: number
  /** Parameters of this placement, passed to the engine with `load`; engines know the fields. */
  readonly load: Readonly<Record<string, string | number | boolean | readonly number[]>>
}

/** Memory that a loaded model holds in one pool. */
export interface MemoryParts {
  /** Weights. */
  readonly modelBytes: number
  /** KV cache and recurrent states. */
  readonly contextBytes: number
  /** Buffers of the computation. */
  readonly computeBytes: number
}

export type MemoryBreakdown = Readonly<Record<PoolId, MemoryParts>>
