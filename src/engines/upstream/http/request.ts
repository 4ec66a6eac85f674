import type { JsonObject } from '../../../core/json.ts'

/** One request to an upstream server. */
export interface UpstreamRequest {
  /** `http:` or `https:`, whole. */
  readonly url: string
  /** Sent as `authorization: Bearer`, to this URL alone. */
  readonly key?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: JsonObject | UpstreamForm | undefined
  /** Closes the connection when it aborts. */
  readonly signal: AbortSignal
  readonly limits: HttpLimits
}

/** Fields, then one file. */
export class UpstreamForm {
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly file: UpstreamFile

  constructor(fields: readonly (readonly [name: string, value: string])[], file: UpstreamFile) {
    this.fields = fields
    this.file = file
  }
}

/** A file that is sent as it is read. */
export interface UpstreamFile {
  /** Of the field. */
  readonly field: string
  readonly name: string
  readonly type: string
  readonly bytes: number
  /** As many bytes as `bytes` says; read once. */
  readonly content: AsyncIterable<Uint8Array>
}

export interface HttpLimits {
  /** Until the connection stands, TLS included. */
  readonly connectMs: number
  /** From then until the first event, the first byte of audio or the whole of a JSON body: the server's queue is in it. */
  readonly firstByteMs: number
  /** Between two events, or two pieces of audio. Comments and parts of an event do not count as life. */
  readonly idleMs: number
  readonly totalMs: number
  readonly lineBytes: number
  readonly eventBytes: number
  /** Between two events: comments, blank lines, fields that nobody reads. */
  readonly gapBytes: number
  /** How much of the body of a refusal is read, and for how long. */
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
