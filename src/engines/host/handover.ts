/** Memory file of one model, in which its process leaves prompts for the next one. */
import { close, fstatSync, ftruncate } from 'node:fs'
import { promisify } from 'node:util'
import type { HandedPrefix } from '../protocol/protocol.ts'
import type { EngineClock } from '../shared/engine-clock.ts'

const cut = promisify(ftruncate)
const closeFile = promisify(close)

export class Handover {
  readonly modelId: string
  /** Revision of the loaded model. Other revisions cannot use the prompts. */
  readonly revision: string
  readonly file: number
  readonly #clock: EngineClock
  #prefixes: readonly HandedPrefix[] = []
  #saidAtMs = 0
  /** Work in a thread, since freeing a gigabyte takes 0.1 s. */
  #freeing: Promise<void> = Promise.resolve()

  constructor(modelId: string, revision: string, { file, clock }: { file: number; clock: EngineClock }) {
    this.modelId = modelId
    this.revision = revision
    this.file = file
    this.#clock = clock
  }

  /** Prompts with current idle times, the latest used first. */
  get prefixes(): readonly HandedPrefix[] {
    const passedMs = this.#clock.nowMs() - this.#saidAtMs
    return this.#prefixes.map((prefix) => ({ ...prefix, idleMs: prefix.idleMs + passedMs }))
  }

  get bytes(): number {
    return this.#prefixes.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** False if a process ended while it read or wrote: the content is then undefined. */
  get isWhole(): boolean {
    return fstatSync(this.file).size === this.bytes
  }

  /** Records the file's content as reported by its process. */
  note(prefixes: readonly HandedPrefix[]): void {
    this.#prefixes = prefixes
    this.#saidAtMs = this.#clock.nowMs()
  }

  /** Frees the prompt that was unused for the longest time. */
  dropOldest(): void {
    this.#prefixes = this.#prefixes.slice(0, -1)
    const { bytes } = this
    this.#free(() => cut(this.file, bytes))
  }

  /** Closes the file. It cannot be used afterwards. */
  close(): void {
    this.#prefixes = []
    this.#free(() => cut(this.file, 0))
    this.#free(() => closeFile(this.file))
  }

  /** Frees memory in order. After a failure the end of the process frees it. */
  #free(how: () => Promise<void>): void {
    this.#freeing = this.#freeing.then(how).catch(() => undefined)
  }
}
