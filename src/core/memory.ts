/** Memory of this machine and what models need of it. All sizes in bytes. */

/** A memory that models share: `host`, or a device as `gpu0`. Where a device uses the host's memory, both are `host`. */
export type PoolId = string

/** Bytes by pool; a pool that is absent has none. */
export type MemoryBytes = Readonly<Record<PoolId, number>>

/** One way to hold a model in memory. A model's placements stand in order, the fastest first. */
export interface Placement {
  /** Names it among the model's placements: measurements are kept under this key. */
  readonly key: string
  /** For people, e.g. `gpu0`, `gpu0, 3 of 48 expert blocks on the CPU`, `CPU`. */
  readonly label: string
  /** What the engine process needs in all, weights, caches, compute buffers and the process itself included. */
  readonly needBytes: MemoryBytes
  /** Equal ranks are equally fast, as one device or another like it. Without ranks each is slower than the one before. */
  readonly rank?: number
  /** Passed to the engine with `load`, as this placement demands; engines know the fields. */
  readonly load: Readonly<Record<string, string | number | boolean | readonly number[]>>
}

/** What a loaded model holds of one pool. */
export interface MemoryParts {
  /** Weights. */
  readonly modelBytes: number
  /** KV cache and recurrent states. */
  readonly contextBytes: number
  /** Buffers of the computation. */
  readonly computeBytes: number
}

export type MemoryBreakdown = Readonly<Record<PoolId, MemoryParts>>
