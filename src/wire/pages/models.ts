/** Models that requests may wait for, as an account's pages poll them. */
export interface LoadingModel {
  /** Canonical id. */
  readonly model: string
  /** `stopped`: it will be loaded when its turn comes. */
  readonly state: 'loading' | 'ready' | 'unloading' | 'failed' | 'stopped'
  /** How much of it has been read, 0 to 1; null where that is not known. */
  readonly progress: number | null
  /** When loading began: ISO 8601; null where it is not being loaded. */
  readonly since: string | null
  /** Requests that wait for it, of all accounts. */
  readonly waiting: number
}

export interface LoadingModels {
  readonly object: 'list'
  readonly data: readonly LoadingModel[]
}
