/**
 * Which chunk is recognised next. Pure. Accounts have equal shares of the lanes, measured by the length of what they are given.
 *
 * Some recognisers are set to a language for all that they recognise. So chunks of another language wait until the lanes are
 * empty, and the first after a change has them alone. A language keeps the lanes for as many chunks as there are lanes, where
 * so many wait; then those in turn come, whatever theirs is.
 */
import { WeightedFairQueue } from '../../../core/weighted-fair-queue.ts'

interface Waiting<Item> {
  readonly item: Item
  /** Empty: the model finds out. */
  readonly language: string
}

export interface Taken<Item> {
  readonly item: Item
  /** Where it is another than before. */
  readonly newLanguage: string | undefined
}

export class ChunkQueue<Item> {
  readonly #waiting = new WeightedFairQueue<Waiting<Item>>()
  /** Its turn has come, its language not yet. */
  #held: Waiting<Item> | undefined
  #lanes: number
  #running = 0
  #language = ''
  /** With the chunk that was begun last. */
  #isChanged = false
  /** Chunks begun since it is the language. */
  #begun = 0

  constructor(lanes: number) {
    this.#lanes = lanes
  }

  get lanes(): number {
    return this.#lanes
  }

  setLanes(lanes: number): void {
    this.#lanes = lanes
  }

  /** Returns how to take it out again. */
  add(accountId: string, samples: number, language: string, item: Item): () => void {
    const waiting = { item, language }
    const remove = this.#waiting.add(accountId, samples, waiting)
    return () => {
      remove()
      if (this.#held === waiting) this.#held = undefined
    }
  }

  /** The next, which has a lane from then on; undefined where none may begin. */
  take(): Taken<Item> | undefined {
    if (this.#running >= (this.#isChanged ? 1 : this.#lanes)) return undefined
    const next = this.#held ?? this.#next()
    this.#held = next
    if (next === undefined) return undefined
    const isNew = next.language !== this.#language
    if (isNew && this.#running > 0) return undefined
    this.#held = undefined
    this.#begun = isNew ? 1 : this.#begun + 1
    this.#isChanged = isNew
    this.#running++
    this.#language = next.language
    return { item: next.item, newLanguage: isNew ? next.language : undefined }
  }

  /** A lane is free again. */
  release(): void {
    this.#running--
  }

  #next(): Waiting<Item> | undefined {
    const isSame = ({ language }: Waiting<Item>) => language === this.#language
    return (this.#begun < this.#lanes ? this.#waiting.take(isSame) : undefined) ?? this.#waiting.take()
  }
}
