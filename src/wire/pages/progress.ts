/**
 * How far the work on an upload is, as its account's page is told. `waiting`: nothing has come yet; `queued`: for the model;
 * `speakers`: all is transcribed, and the speakers are being told apart.
 */
export type ProgressPhase =
  | 'waiting'
  | 'uploading'
  | 'decoding'
  | 'queued'
  | 'transcribing'
  | 'speakers'
  | 'done'
  | 'failed'

/** The event `progress`. */
export interface Progress {
  readonly phase: ProgressPhase
  /** Seconds of the recording that are transcribed. */
  readonly done_s: number
  /** Length of the recording; null before it is decoded. */
  readonly total_s: number | null
  /** Requests that the model takes before this one; null while it does not wait for the model. */
  readonly position: number | null
}
