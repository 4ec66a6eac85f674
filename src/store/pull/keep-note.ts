import { removePullNote, writePullNote } from '../../catalog/pull-note.ts'
import type { FileProgress } from '../../core/download.ts'
import type { PlannedFile } from '../plan.ts'

const pauseMs = 500

/** Says in the model's folder how far its pull has come, for as long as it runs. Disposing of it ends that. */
export class RunningPull implements Disposable {
  readonly #folder: string
  readonly #files: ReadonlyMap<string, { readonly bytes: number }>
  readonly #done = new Map<string, number>()
  #writtenMs = Number.NEGATIVE_INFINITY

  /** `files` are still to be fetched. The folder must exist. */
  constructor(folder: string, files: readonly PlannedFile[]) {
    this.#folder = folder
    this.#files = new Map(files.map(({ name, bytes = 0 }) => [name, { bytes }]))
    this.#write()
  }

  note({ name, phase, bytes }: FileProgress): void {
    if (phase !== 'download' && phase !== 'verify') return
    this.#done.set(name, phase === 'verify' ? (this.#files.get(name)?.bytes ?? 0) : bytes)
    if (performance.now() - this.#writtenMs >= pauseMs) this.#write()
  }

  [Symbol.dispose](): void {
    removePullNote(this.#folder)
  }

  #write(): void {
    this.#writtenMs = performance.now()
    const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
    const notBegun = [...this.#files].filter(([name]) => !this.#done.has(name))
    writePullNote(this.#folder, {
      doneBytes: sum([...this.#done.values()]),
      totalBytes: sum([...this.#files.values()].map(({ bytes }) => bytes)),
      promisedBytes: sum(notBegun.map(([, { bytes }]) => bytes)),
    })
  }
}
