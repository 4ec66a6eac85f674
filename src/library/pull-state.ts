/** A download of a model by the running server, as pages see it. */
import { type Phase, type Progress, progressOf } from '../store/progress.ts'

export interface PullState {
  readonly model: string
  readonly state: 'running' | 'done' | 'failed' | 'cancelled'
  /** What is done to the file that is named; undefined before the first. */
  readonly phase: Phase | undefined
  readonly file: string | undefined
  readonly doneBytes: number
  readonly totalBytes: number
  /** Bytes per second over the last seconds; undefined while nothing flows. */
  readonly rate: number | undefined
  readonly remainingSeconds: number | undefined
  /** Why nothing flows just now, and what is done about it. */
  readonly trouble: string | undefined
  /** Why it failed. */
  readonly error: string | undefined
  readonly startedMs: number
  readonly endedMs: number | undefined
}

/** `files`: the last that each file has told. */
export function progressState(
  files: ReadonlyMap<string, Progress>,
  missingBytes: number,
): Pick<PullState, 'phase' | 'file' | 'doneBytes' | 'totalBytes' | 'rate' | 'remainingSeconds' | 'trouble'> {
  const { doneBytes, totalBytes, rate, open } = progressOf([...files.values()], missingBytes)
  return {
    phase: open?.phase,
    file: open?.name,
    ...{ doneBytes, totalBytes, rate },
    remainingSeconds: rate === undefined ? undefined : Math.ceil((totalBytes - doneBytes) / rate),
    trouble: open?.trouble,
  }
}
