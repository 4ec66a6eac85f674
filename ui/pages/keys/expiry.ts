/** When a new key ends: the server takes whole days from now. */
export const expiries = ['never', '30', '90', 'date'] as const
export type Expiry = (typeof expiries)[number]

/** What the server takes. */
export const maximumDays = 36_500

const dayMs = 24 * 60 * 60 * 1_000

/** Days from now; undefined when it does not end. `date` is a day such as 2026-11-30, and is reached, never passed. */
export function expiresDays(expiry: Expiry, date: string, nowMs: number): number | undefined {
  if (expiry === 'never') return undefined
  if (expiry !== 'date') return Number(expiry)
  return Math.max(1, Math.floor((Date.parse(date) - nowMs) / dayMs))
}

/** The UTC day so many days from now. */
export function expiryDay(days: number, nowMs: number): string {
  return new Date(nowMs + days * dayMs).toISOString().slice(0, 10)
}
