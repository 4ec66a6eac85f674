/**
 * Phase of the work on an upload. `waiting`: nothing received yet. `queued`: waits for the model. `speakers`:
 * transcription is done, speakers are being labelled.
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

/** Data of the event `progress`. */
export interface Progress {
  readonly phase: ProgressPhase
  /** Transcribed seconds of the recording. */
  readonly done_s: number
  /** Length of the recording in seconds. Null before decoding. */
  readonly total_s: number | null
  /** Requests that the model takes before this one. Null unless queued. */
  readonly position: number | null
}
