/**
 * What processes left in memory for the next process of their model. It is a cache: no account's prompts wait here longer than they
 * may, and none keeps a model from its memory.
 */
import { openMemoryFile } from '../machine/memory-file.ts'
import type { EngineClock } from './engine-clock.ts'
import { Handover } from './handover.ts'

export interface HandoversOptions {
  readonly clock: EngineClock
  /** How long a prompt waits at most since its last use; 0: none waits. */
  readonly limitMs: number
}

export class Handovers {
  readonly #options: HandoversOptions
  readonly #waiting = new Map<string, Handover>()
  /** Of processes that run, and that were not told to be forgotten since they started. */
  readonly #inUse = new Set<Handover>()

  constructor(options: HandoversOptions) {
    this.#options = options
  }

  /** What waits takes so much of the host's memory. */
  get bytes(): number {
    return [...this.#waiting.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** What waits for a model. */
  bytesOf(modelId: string): number {
    return this.#waiting.get(modelId)?.bytes ?? 0
  }

  /** For a process that starts, with what the last one left. Undefined where nothing may wait, or this system cannot. */
  begin(modelId: string, revision: string): Handover | undefined {
    const waiting = this.#waiting.get(modelId)
    this.#waiting.delete(modelId)
    if (waiting !== undefined && waiting.revision !== revision) waiting.close()
    const handover = waiting?.revision === revision ? waiting : this.#open(modelId, revision)
    if (handover !== undefined) this.#inUse.add(handover)
    return handover
  }

  /** Its process has ended: what that has left, or not taken, waits for the next. */
  end(handover: Handover): void {
    const isWanted = this.#inUse.delete(handover) && handover.bytes > 0 && handover.isWhole
    if (isWanted) this.#waiting.set(handover.modelId, handover)
    else handover.close()
    this.expire()
  }

  /** What waits for a model, and what its process has not taken yet or is just leaving. */
  forget(modelId: string): void {
    for (const handover of this.#inUse) if (handover.modelId === modelId) this.#inUse.delete(handover)
    this.#drop(modelId)
  }

  forgetAll(): void {
    this.#inUse.clear()
    for (const modelId of this.#waiting.keys()) this.#drop(modelId)
  }

  /** Frees what does not fit into so many bytes, and what was not used for the longest time first. */
  fit(roomBytes: number): void {
    while (this.bytes > roomBytes) this.#dropOldest()
  }

  /** Frees what has waited for as long as it may; returns when there is the next to free, Infinity where nothing waits. */
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
    const handover = this.#oldest()?.handover
    handover?.dropOldest()
    if (handover?.bytes === 0) this.#drop(handover.modelId)
  }

  #drop(modelId: string): void {
    this.#waiting.get(modelId)?.close()
    this.#waiting.delete(modelId)
  }

  #open(modelId: string, revision: string): Handover | undefined {
    const { limitMs, clock } = this.#options
    const file = limitMs === 0 ? undefined : openMemoryFile('inferd prompts')
    return file === undefined ? undefined : new Handover(modelId, revision, { file, clock })
  }

  #oldest(): { readonly handover: Handover; readonly idleMs: number } | undefined {
    const last = [...this.#waiting.values()].map((handover) => ({
      handover,
      idleMs: handover.prefixes.at(-1)?.idleMs ?? 0,
    }))
    return last.sort((a, b) => b.idleMs - a.idleMs)[0]
  }
}
