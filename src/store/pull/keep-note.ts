import { removePullNote, writePullNote } from '../../catalog/pull-note.ts'
import type { FileProgress } from '../../core/download.ts'
import type { PlannedFile } from '../plan.ts'

const pauseMs = 500

/**
 * Keeps the progress of a pull in a note in the model's folder, until it is disposed. `files` are those still to be
 * fetched. The folder must exist.
 */
export function keepPullNote(folder: string, files: readonly PlannedFile[]) {
  const bytesOf = new Map(files.map(({ name, bytes = 0 }) => [name, bytes]))
  const done = new Map<string, number>()
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  let writtenMs = 0
  const write = () => {
    writtenMs = performance.now()
    writePullNote(folder, {
      doneBytes: sum([...done.values()]),
      totalBytes: sum([...bytesOf.values()]),
      promisedBytes: sum([...bytesOf].map(([name, bytes]) => (done.has(name) ? 0 : bytes))),
    })
  }
  write()
  return {
    note({ name, phase, bytes }: FileProgress): void {
      if (phase !== 'download' && phase !== 'verify') return
      done.set(name, phase === 'verify' ? (bytesOf.get(name) ?? 0) : bytes)
      if (performance.now() - writtenMs >= pauseMs) write()
    },
    [Symbol.dispose]: () => removePullNote(folder),
  }
}
