/** Memory file of one model, in which its process leaves a note for the next one. Only the engine can read the note. */
import { close, fstatSync, ftruncate } from 'node:fs'
import { promisify } from 'node:util'
import type { Clock } from '../../core/clock.ts'
import type { NotePart } from '../protocol/engine.ts'

const cut = promisify(ftruncate)
const closeFile = promisify(close)

export class Note {
  readonly modelId: string
  /** Revision of the loaded model. Other revisions cannot use the note. */
  readonly revision: string
  readonly file: number
  readonly #clock: Clock
  #parts: readonly NotePart[] = []
  #saidAtMs = 0
  /** Completion of all frees so far. A thread does them, since freeing a gigabyte takes 0.1 s. */
  #freeing: Promise<void> = Promise.resolve()

  constructor(modelId: string, revision: string, { file, clock }: { file: number; clock: Clock }) {
    this.modelId = modelId
    this.revision = revision
    this.file = file
    this.#clock = clock
  }

  /** Parts of the note with current idle times, most recently used first. */
  get parts(): readonly NotePart[] {
    const passedMs = this.#clock.nowMs() - this.#saidAtMs
    return this.#parts.map((part) => ({ ...part, idleMs: part.idleMs + passedMs }))
  }

  get bytes(): number {
    return this.#parts.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** False if a process ended while it read or wrote the file, whose content is then undefined. */
  get isWhole(): boolean {
    return fstatSync(this.file).size === this.bytes
  }

  /** Records the file's content as reported by its process. */
  record(parts: readonly NotePart[]): void {
    this.#parts = parts
    this.#saidAtMs = this.#clock.nowMs()
  }

  /** Frees the least recently used part. */
  dropOldest(): void {
    this.#parts = this.#parts.slice(0, -1)
    const { bytes } = this
    this.#free(() => cut(this.file, bytes))
  }

  /** Closes the file. It cannot be used afterwards. */
  close(): void {
    this.#parts = []
    this.#free(() => cut(this.file, 0))
    this.#free(() => closeFile(this.file))
  }

  /** Frees memory, one call after the other. After a failure, the memory is free when the process ends. */
  #free(how: () => Promise<void>): void {
    this.#freeing = this.#freeing.then(how).catch(() => undefined)
  }
}
