/** Download of a model by the running server, as shown on pages. */
import { type Phase, type Progress, progressOf } from '../store/progress.ts'

export interface PullState {
  readonly model: string
  readonly state: 'running' | 'done' | 'failed' | 'cancelled'
  /** Phase of the named file. Undefined before the first file. */
  readonly phase: Phase | undefined
  readonly file: string | undefined
  readonly doneBytes: number
  readonly totalBytes: number
  /** Bytes per second over the last seconds. Undefined while none arrive. */
  readonly rate: number | undefined
  readonly remainingSeconds: number | undefined
  /** Reason for a stall, and the reaction to it. */
  readonly trouble: string | undefined
  /** Reason of the failure. */
  readonly error: string | undefined
  readonly startedMs: number
  readonly endedMs: number | undefined
}

/** Returns the sum over the files. `files` has the last progress of each. */
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
