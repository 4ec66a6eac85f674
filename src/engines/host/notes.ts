/**
 * Notes that processes left in memory for the next process of their model. They are a cache with a limit on idle time,
 * and are dropped when a model needs the memory.
 */

import type { Clock } from '../../core/clock.ts'
import { openMemoryFile } from '../../machine/memory-file.ts'
import { Note } from './note.ts'

interface NotesOptions {
  readonly clock: Clock
  /** Longest idle time of a part in milliseconds. 0 keeps no notes. */
  readonly limitMs: number
}

export class Notes {
  readonly #options: NotesOptions
  readonly #waiting = new Map<string, Note>()
  /** Notes of running processes, except those forgotten since their start. */
  readonly #inUse = new Set<Note>()

  constructor(options: NotesOptions) {
    this.#options = options
  }

  /** Host memory that waiting notes take, in bytes. */
  get bytes(): number {
    return [...this.#waiting.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Returns the bytes of a model's waiting note. */
  bytesOf(modelId: string): number {
    return this.#waiting.get(modelId)?.bytes ?? 0
  }

  /**
   * Returns the note for a starting process, as the last one left it. `contents`: noun for what its engine leaves.
   * Undefined if the engine leaves nothing, notes may not wait, or this system lacks memory files.
   */
  begin(modelId: string, revision: string, contents: string | undefined): Note | undefined {
    const waiting = this.#waiting.get(modelId)
    this.#waiting.delete(modelId)
    if (waiting !== undefined && waiting.revision !== revision) waiting.close()
    const note = waiting?.revision === revision ? waiting : this.#open(modelId, revision, contents)
    if (note !== undefined) this.#inUse.add(note)
    return note
  }

  /** Keeps the note of an ended process for the next one. */
  end(note: Note): void {
    const isWanted = this.#inUse.delete(note) && note.bytes > 0 && note.isWhole
    if (isWanted) this.#waiting.set(note.modelId, note)
    else note.close()
    this.expire()
  }

  /** Forgets a model's waiting note, and the note that its process is reading or writing. */
  forget(modelId: string): void {
    for (const note of this.#inUse) if (note.modelId === modelId) this.#inUse.delete(note)
    this.#drop(modelId)
  }

  forgetAll(): void {
    this.#inUse.clear()
    for (const modelId of this.#waiting.keys()) this.#drop(modelId)
  }

  /** Frees parts beyond `roomBytes`, the least recently used first. */
  fit(roomBytes: number): void {
    while (this.bytes > roomBytes) this.#dropOldest()
  }

  /** Frees expired parts. Returns the time of the next expiry, Infinity if no part waits. */
  expire(): number {
    const { limitMs } = this.#options
    for (;;) {
      const idleMs = this.#oldest()?.idleMs
      if (idleMs === undefined) return Number.POSITIVE_INFINITY
      if (idleMs < limitMs) return limitMs - idleMs
      this.#dropOldest()
    }
  }

  #dropOldest(): void {
    const note = this.#oldest()?.note
    note?.dropOldest()
    if (note?.bytes === 0) this.#drop(note.modelId)
  }

  #drop(modelId: string): void {
    this.#waiting.get(modelId)?.close()
    this.#waiting.delete(modelId)
  }

  #open(modelId: string, revision: string, contents: string | undefined): Note | undefined {
    const { limitMs, clock } = this.#options
    const isKept = contents !== undefined && limitMs > 0
    const file = isKept ? openMemoryFile(`inferd ${contents}`) : undefined
    return file === undefined ? undefined : new Note(modelId, revision, { file, clock })
  }

  #oldest(): { readonly note: Note; readonly idleMs: number } | undefined {
    const last = [...this.#waiting.values()].map((note) => ({
      note,
      idleMs: note.parts.at(-1)?.idleMs ?? 0,
    }))
    return last.sort((a, b) => b.idleMs - a.idleMs)[0]
  }
}
