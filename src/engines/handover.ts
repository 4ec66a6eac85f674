/** The memory file of one model: its process leaves prompts there, and the next process takes them over. */
import { close, fstatSync, ftruncate } from 'node:fs'
import { promisify } from 'node:util'
import type { EngineClock } from './engine-clock.ts'
import type { HandedPrefix } from './protocol.ts'

const cut = promisify(ftruncate)
const closeFile = promisify(close)

export class Handover {
  readonly modelId: string
  /** Of what its process loaded: another revision can use nothing of it. */
  readonly revision: string
  readonly file: number
  readonly #clock: EngineClock
  #prefixes: readonly HandedPrefix[] = []
  #saidAtMs = 0
  /** Freeing a gigabyte takes 0.1 s, so it is done by a thread. */
  #freeing: Promise<void> = Promise.resolve()

  constructor(modelId: string, revision: string, { file, clock }: { file: number; clock: EngineClock }) {
    this.modelId = modelId
    this.revision = revision
    this.file = file
    this.#clock = clock
  }

  /** As of now, the latest used first. */
  get prefixes(): readonly HandedPrefix[] {
    const passedMs = this.#clock.nowMs() - this.#saidAtMs
    return this.#prefixes.map((prefix) => ({ ...prefix, idleMs: prefix.idleMs + passedMs }))
  }

  get bytes(): number {
    return this.#prefixes.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** False where a process has ended while it read or wrote: nobody knows what lies there. */
  get isWhole(): boolean {
    return fstatSync(this.file).size === this.bytes
  }

  /** What lies in the file now, as its process says. */
  note(prefixes: readonly HandedPrefix[]): void {
    this.#prefixes = prefixes
    this.#saidAtMs = this.#clock.nowMs()
  }

  /** Frees the prompt that was not used for the longest time. */
  dropOldest(): void {
    this.#prefixes = this.#prefixes.slice(0, -1)
    const { bytes } = this
    this.#free(() => cut(this.file, bytes))
  }

  /** Nothing can be done with it any more. */
  close(): void {
    this.#prefixes = []
    this.#free(() => cut(this.file, 0))
    this.#free(() => closeFile(this.file))
  }

  /** In order. What fails leaves the memory to the end of the process. */
  #free(how: () => Promise<void>): void {
    this.#freeing = this.#freeing.then(how).catch(() => undefined)
  }
}
