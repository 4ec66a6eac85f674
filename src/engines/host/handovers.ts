/**
 * Prompts that processes left in memory for the next process of their model. They are a cache with a limit on idle
 * time, and never take memory that a model needs.
 */
import { openMemoryFile } from '../../machine/memory-file.ts'
import type { EngineClock } from '../shared/engine-clock.ts'
import { Handover } from './handover.ts'

export interface HandoversOptions {
  readonly clock: EngineClock
  /** Longest idle time of a prompt. 0 keeps none. */
  readonly limitMs: number
}

export class Handovers {
  readonly #options: HandoversOptions
  readonly #waiting = new Map<string, Handover>()
  /** Handovers of running processes, except those forgotten since their start. */
  readonly #inUse = new Set<Handover>()

  constructor(options: HandoversOptions) {
    this.#options = options
  }

  /** Host memory that waiting prompts take, in bytes. */
  get bytes(): number {
    return [...this.#waiting.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Returns the bytes of prompts that wait for a model. */
  bytesOf(modelId: string): number {
    return this.#waiting.get(modelId)?.bytes ?? 0
  }

  /**
   * Returns the handover for a starting process, with the prompts that the last one left. Undefined if prompts may not
   * wait, or this system cannot.
   */
  begin(modelId: string, revision: string): Handover | undefined {
    const waiting = this.#waiting.get(modelId)
    this.#waiting.delete(modelId)
    if (waiting !== undefined && waiting.revision !== revision) waiting.close()
    const handover = waiting?.revision === revision ? waiting : this.#open(modelId, revision)
    if (handover !== undefined) this.#inUse.add(handover)
    return handover
  }

  /** Keeps the prompts of an ended process for the next one. */
  end(handover: Handover): void {
    const isWanted = this.#inUse.delete(handover) && handover.bytes > 0 && handover.isWhole
    if (isWanted) this.#waiting.set(handover.modelId, handover)
    else handover.close()
    this.expire()
  }

  /** Forgets a model's waiting prompts, and those that its process has not taken yet or is writing. */
  forget(modelId: string): void {
    for (const handover of this.#inUse) if (handover.modelId === modelId) this.#inUse.delete(handover)
    this.#drop(modelId)
  }

  forgetAll(): void {
    this.#inUse.clear()
    for (const modelId of this.#waiting.keys()) this.#drop(modelId)
  }

  /** Frees prompts beyond `roomBytes`, those unused for the longest time first. */
  fit(roomBytes: number): void {
    while (this.bytes > roomBytes) this.#dropOldest()
  }

  /** Frees prompts at the end of their time. Returns the time of the next expiry, Infinity if none waits. */
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
