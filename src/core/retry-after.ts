/** Returns the wait of a `Retry-After` header, in seconds or as a date; undefined for neither. */
export function readRetryAfterMs(value: string | null | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1_000
  const waitMs = Date.parse(text) - nowMs
  return Number.isNaN(waitMs) ? undefined : Math.max(waitMs, 0)
}
