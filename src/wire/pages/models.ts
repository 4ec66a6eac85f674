/** Models that requests may wait for, as an account's pages poll them. */
export interface LoadingModel {
  /** Canonical id. */
  readonly model: string
  /** `stopped` models are loaded when their turn comes. */
  readonly state: 'loading' | 'ready' | 'unloading' | 'failed' | 'stopped'
  /** Loaded share, 0 to 1. Null if unknown. */
  readonly progress: number | null
  /** Start of loading, ISO 8601. Null unless loading. */
  readonly since: string | null
  /** Requests of all accounts that wait for it. */
  readonly waiting: number
}

export interface LoadingModels {
  readonly object: 'list'
  readonly data: readonly LoadingModel[]
}
