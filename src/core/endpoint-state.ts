/**
 * State of one endpoint of an upstream model while the server runs, across loads of the model. Pages, commands, metrics and
 * notices are projections of it.
 */
export type EndpointState = EndpointFacts & Availability

interface EndpointFacts {
  /** Id of its model. */
  readonly model: string
  /** URL as the manifest has it. */
  readonly url: string
  /** Requests that it has now. */
  readonly outstanding: number
  /** Requests that ended since the server's start: served, failed, refused by a server that works, and those that say nothing about it. */
  readonly served: number
  readonly failed: number
  readonly refused: number
  readonly neutral: number
  /** `atMs`: milliseconds UTC. */
  readonly lastFailure: { readonly atMs: number; readonly reason: string } | undefined
  /** True if it did not answer, or failed, when it was last asked. */
  readonly isSilent: boolean
  /** Longest prompt and answer, as the server itself says. */
  readonly contextTokens: number | undefined
}

/**
 * `retryInMs`: time until the next try after failures. `outOfUse`: reason why it gets no requests although it answers; it
 * completes a sentence that begins with the server.
 */
export type Availability =
  | { readonly state: 'closed'; readonly retryInMs: undefined; readonly outOfUse: undefined }
  /** `open`: it failed. `half-open`: its next request is the try. `probing`: it has that request. */
  | { readonly state: 'open' | 'half-open' | 'probing'; readonly retryInMs: number; readonly outOfUse: undefined }
  /** The server lacks the model, or refuses the key. */
  | { readonly state: 'out-of-use'; readonly retryInMs: number | undefined; readonly outOfUse: string }
  /** The operator keeps it from further requests. */
  | { readonly state: 'draining'; readonly retryInMs: number | undefined; readonly outOfUse: string | undefined }
