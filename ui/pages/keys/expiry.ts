/** Expiry of a new key: the server takes whole days from now. */
export const expiries = ['never', '30', '90', 'date'] as const
export type Expiry = (typeof expiries)[number]

/** Longest lifetime that the server accepts. */
export const maximumDays = 36_500

const dayMs = 24 * 60 * 60 * 1_000

/**
 * Returns days from now; undefined if the key never expires. `date` is a day such as 2026-11-30; the key expires on or
 * before its start.
 */
export function expiresDays(expiry: Expiry, date: string, nowMs: number): number | undefined {
  if (expiry === 'never') return undefined
  if (expiry !== 'date') return Number(expiry)
  return Math.max(1, Math.floor((Date.parse(date) - nowMs) / dayMs))
}

/** Returns the UTC day that is `days` from now. */
export function expiryDay(days: number, nowMs: number): string {
  return new Date(nowMs + days * dayMs).toISOString().slice(0, 10)
}
