/**
 * Returns the wait of a `Retry-After` header, in seconds or as a date, in whole milliseconds; undefined for neither. Takes
 * fractions, which some servers send.
 */
export function readRetryAfterMs(value: string | null | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? ''
  const seconds = Number(text)
  if (text !== '' && seconds >= 0) return Math.ceil(seconds * 1_000)
  const waitMs = Date.parse(text) - nowMs
  return Number.isNaN(waitMs) ? undefined : Math.max(waitMs, 0)
}
