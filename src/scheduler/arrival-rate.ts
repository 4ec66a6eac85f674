/** Rate of requests with exponential decay over ten minutes. */

const forgetMs = 600_000

export interface ArrivalRate {
  readonly perSecond: number
  readonly atMs: number
}

export function rateAt({ perSecond, atMs }: ArrivalRate, nowMs: number): number {
  return perSecond * Math.exp(-(nowMs - atMs) / forgetMs)
}

export function withArrival(rate: ArrivalRate, nowMs: number): ArrivalRate {
  return { perSecond: rateAt(rate, nowMs) + 1000 / forgetMs, atMs: nowMs }
}
