/**
 * State of one endpoint of an upstream model while the server runs, across loads of the model. Pages, commands, metrics and
 * notices are projections of it.
 */
export type EndpointState = EndpointFacts & Availability

interface EndpointFacts {
  /** Id of its model. */
  readonly model: string
  /** URL as written in the manifest. */
  readonly url: string
  /** Requests that are running there. */
  readonly outstanding: number
  /**
   * Requests ended since the server's start, by result: `refused` by a working server, `neutral` if they tell nothing
   * about it.
   */
  readonly served: number
  readonly failed: number
  readonly refused: number
  readonly neutral: number
  /** `atMs`: milliseconds UTC. */
  readonly lastFailure: { readonly atMs: number; readonly reason: string } | undefined
  /** True if the last check got no answer, or a failure. */
  readonly isSilent: boolean
  /** Longest prompt and answer in tokens, as reported by the server. */
  readonly contextTokens: number | undefined
}

/**
 * `retryInMs`: time until the next try after failures. `outOfUse`: reason why an endpoint that answers gets no
 * requests; completes a sentence that begins with the server.
 */
export type Availability =
  | { readonly state: 'closed'; readonly retryInMs: undefined; readonly outOfUse: undefined }
  /** `open`: it failed. `half-open`: its next request is a try. `probing`: the try is running. */
  | { readonly state: 'open' | 'half-open' | 'probing'; readonly retryInMs: number; readonly outOfUse: undefined }
  /** The server lacks the model, or refuses the key. */
  | { readonly state: 'out-of-use'; readonly retryInMs: number | undefined; readonly outOfUse: string }
  /** The operator keeps it from further requests. */
  | { readonly state: 'draining'; readonly retryInMs: number | undefined; readonly outOfUse: string | undefined }
