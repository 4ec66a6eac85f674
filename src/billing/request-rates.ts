import { minuteMs } from '../core/durations.ts'
import type { Limits } from './limits.ts'
import { RateWindow } from './rate-window.ts'

/** Account or key whose limits bind a request */
export interface BoundBy {
  readonly subject: string
  readonly limits: Limits
}

/** Limit that a request would exceed. `waitMs`: time until it would not, undefined where only other requests decide. */
export interface Excess extends BoundBy {
  readonly limit: 'parallel' | 'requests' | 'tokens'
  readonly waitMs: number | undefined
}

/** Use of a limit per minute. */
export interface RateUse {
  readonly limit: number
  readonly left: number
  /** Time until everything is left again. */
  readonly resetMs: number
}

/** Use of a subject now. An undefined field has no limit. */
export interface RateState {
  readonly running: number
  readonly requests: RateUse | undefined
  readonly tokens: RateUse | undefined
}

interface Counts {
  running: number
  /** Most tokens that running requests may still use. */
  heldTokens: number
  readonly requests: RateWindow
  readonly tokens: RateWindow
}

interface EndedRequest {
  /** Time on the clock of the rates. */
  readonly endedMs: number
  readonly tokens: number
}

/** Place of a request among those that wait or run. Leave it exactly once, however the request ends. */
export interface RatePlace {
  /** Holds tokens that the request may use, instead of those before. Returns the limit that was exceeded before that. */
  holdTokens(tokens: number): Excess | undefined
  /** Holds no more than the tokens that the request has used, once its work is over. */
  keepUsed(tokens: number): void
  /** Ends the request with the tokens that it used. A request that a limit has refused does not count. */
  leave(usedTokens: number, isRefused: boolean): void
}

/** Number of subjects above which idle ones are looked for. */
const plentyOfSubjects = 1_000

/** Requests and tokens per minute, and requests at a time, by account and key. A start recalls the minute before it. */
export class RequestRates {
  readonly #counts = new Map<string, Counts>()
  readonly #clock: () => number

  /** @param clock Milliseconds that never decrease. */
  constructor(clock: () => number) {
    this.#clock = clock
  }

  /** Takes a place for a request. Returns the exceeded limit if there is none, without counting anything. */
  enter(bounds: readonly BoundBy[]): RatePlace | Excess {
    const excess = this.#parallelExcess(bounds) ?? this.#longest(bounds, 'requests')
    if (excess !== undefined) return excess
    const nowMs = this.#clock()
    const taken = bounds.map(({ subject, limits }) => {
      const counts = this.#countsOf(subject)
      counts.running++
      const { requestsPerMinute: limit } = limits
      return { counts, limits, takeBack: limit === undefined ? undefined : counts.requests.add(nowMs, 1, limit) }
    })
    let heldTokens = 0
    const hold = (tokens: number) => {
      for (const { counts } of taken) counts.heldTokens += tokens - heldTokens
      heldTokens = tokens
    }
    return {
      holdTokens: (tokens) => {
        const before = heldTokens === 0 ? this.tokenExcess(bounds) : undefined
        if (before === undefined && tokens > heldTokens) hold(tokens)
        return before
      },
      keepUsed: (tokens) => hold(Math.min(tokens, heldTokens)),
      leave: (usedTokens, isRefused) => {
        hold(0)
        for (const { counts, limits, takeBack } of taken) {
          counts.running--
          if (isRefused) takeBack?.()
          const { tokensPerMinute: limit } = limits
          if (limit !== undefined && usedTokens > 0) counts.tokens.add(this.#clock(), usedTokens, limit)
        }
      },
    }
  }

  /** Counts a request that ended before this process began. Call it in the order of the ends, before any `enter`. */
  recall(bounds: readonly BoundBy[], { endedMs, tokens }: EndedRequest): void {
    for (const { subject, limits } of bounds) {
      const { requestsPerMinute, tokensPerMinute } = limits
      const counts = this.#countsOf(subject)
      if (requestsPerMinute !== undefined) counts.requests.add(endedMs, 1, requestsPerMinute)
      if (tokensPerMinute !== undefined && tokens > 0) counts.tokens.add(endedMs, tokens, tokensPerMinute)
    }
  }

  /** Returns the limit of tokens that is used up; undefined if there is none. */
  tokenExcess(bounds: readonly BoundBy[]): Excess | undefined {
    return this.#longest(bounds, 'tokens')
  }

  /** Returns what a subject uses now. */
  state({ subject, limits }: BoundBy): RateState {
    const counts = this.#counts.get(subject) ?? noCounts()
    const nowMs = this.#clock()
    return {
      running: counts.running,
      requests: useOf(counts.requests, limits.requestsPerMinute, 0, nowMs),
      tokens: useOf(counts.tokens, limits.tokensPerMinute, counts.heldTokens, nowMs),
    }
  }

  #parallelExcess(bounds: readonly BoundBy[]): Excess | undefined {
    const full = bounds.find(({ subject, limits: { parallel } }) => {
      const running = this.#counts.get(subject)?.running ?? 0
      return parallel !== undefined && running >= parallel
    })
    return full && { ...full, limit: 'parallel', waitMs: undefined }
  }

  /** Returns the exceeded limit with the longest wait. */
  #longest(bounds: readonly BoundBy[], limit: 'requests' | 'tokens'): Excess | undefined {
    let longest: Excess | undefined
    for (const bound of bounds) {
      const most = bound.limits[limit === 'requests' ? 'requestsPerMinute' : 'tokensPerMinute']
      const counts = this.#counts.get(bound.subject)
      if (most === undefined || counts === undefined) continue
      const nowMs = this.#clock()
      const held = limit === 'tokens' ? counts.heldTokens : 0
      if (counts[limit].used(nowMs) + held < most) continue
      const waitMs = held > 0 ? undefined : counts[limit].waitMs(nowMs, most)
      if (longest === undefined || (waitMs ?? 0) > (longest.waitMs ?? 0)) longest = { ...bound, limit, waitMs }
    }
    return longest
  }

  #countsOf(subject: string): Counts {
    const found = this.#counts.get(subject)
    if (found !== undefined) return found
    if (this.#counts.size >= plentyOfSubjects) this.#forgetIdle()
    const counts = noCounts()
    this.#counts.set(subject, counts)
    return counts
  }

  #forgetIdle(): void {
    const nowMs = this.#clock()
    for (const [subject, { running, requests, tokens }] of this.#counts) {
      if (running === 0 && requests.used(nowMs) === 0 && tokens.used(nowMs) === 0) this.#counts.delete(subject)
    }
  }
}

function useOf(window: RateWindow, limit: number | undefined, held: number, nowMs: number): RateUse | undefined {
  if (limit === undefined) return undefined
  // Held tokens count for a minute from their use on, or longer.
  const heldMs = held === 0 ? 0 : minuteMs * Math.max(1, held / limit)
  return {
    limit,
    left: Math.max(0, limit - window.used(nowMs) - held),
    resetMs: Math.max(window.emptyInMs(nowMs), heldMs),
  }
}

function noCounts(): Counts {
  return { running: 0, heldTokens: 0, requests: new RateWindow(), tokens: new RateWindow() }
}
