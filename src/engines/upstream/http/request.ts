import type { JsonObject } from '../../../core/json.ts'

/** One request to an upstream server. */
export interface UpstreamRequest {
  /** Complete URL, `http:` or `https:`. */
  readonly url: string
  /** Sent as `authorization: Bearer`, only to this URL. */
  readonly key?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: JsonObject | UpstreamForm | undefined
  /** Closes the connection when aborted. */
  readonly signal: AbortSignal
  readonly limits: HttpLimits
}

/** Form with fields, followed by one file. */
export class UpstreamForm {
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly file: UpstreamFile

  constructor(fields: readonly (readonly [name: string, value: string])[], file: UpstreamFile) {
    this.fields = fields
    this.file = file
  }
}

/** File that is read while it is sent. */
export interface UpstreamFile {
  /** Name of the form field. */
  readonly field: string
  readonly name: string
  readonly type: string
  readonly bytes: number
  /** Exactly `bytes` bytes, which can be read only once. */
  readonly content: AsyncIterable<Uint8Array>
}

export interface HttpLimits {
  /** Limit until the connection is established, including TLS. */
  readonly connectMs: number
  /**
   * Limit from then until the first event, the first byte of audio or the whole JSON body, including the server's
   * queue.
   */
  readonly firstByteMs: number
  /** Limit between two events, or two pieces of audio. Comments and parts of an event do not count. */
  readonly idleMs: number
  readonly totalMs: number
  readonly lineBytes: number
  readonly eventBytes: number
  /** Most bytes between two events: comments, blank lines, unused fields. */
  readonly gapBytes: number
  /** Limits for the body of a refusal. */
  readonly errorBytes: number
  readonly errorMs: number
}

export const defaultLimits: HttpLimits = {
  connectMs: 2_000,
  firstByteMs: 600_000,
  idleMs: 60_000,
  totalMs: 1_800_000,
  lineBytes: 1024 * 1024,
  eventBytes: 4 * 1024 * 1024,
  gapBytes: 1024 * 1024,
  errorBytes: 64 * 1024,
  errorMs: 2_000,
}
