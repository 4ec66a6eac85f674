/** Refusal or silence of an authority. The message says which. */
export class AcmeError extends Error {
  override name = 'AcmeError'
  /** Problem type without its prefix, such as `rateLimited`. Undefined for a connection that failed. */
  readonly type: string | undefined
  readonly status: number | undefined
  /** Time before which the authority wants no further request, milliseconds. */
  readonly waitMs: number | undefined

  constructor(
    message: string,
    details: { type?: string | undefined; status?: number; waitMs?: number | undefined } = {},
  ) {
    super(message)
    this.type = details.type
    this.status = details.status
    this.waitMs = details.waitMs
  }
}

/** Returns the wait that a `retry-after` header asks for, in milliseconds: seconds, or a date. */
export function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs)
}
