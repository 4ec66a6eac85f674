/**
 * The order in which chunks are recognised. Pure. Accounts have equal shares of the lanes, measured by the length of their chunks.
 *
 * Some recognisers are set to a language for all that they recognise. So chunks of another language wait until the lanes are
 * empty, and the first after a change has them alone. A language keeps the lanes for as many chunks as there are lanes, where
 * that many wait; then the chunks in turn come in any language.
 */
import { WeightedFairQueue } from '../../../core/weighted-fair-queue.ts'

interface Waiting<Item> {
  readonly item: Item
  /** Empty if the model finds out. */
  readonly language: string
}

export interface Taken<Item> {
  readonly item: Item
  /** The chunk's language where it differs from the one before. */
  readonly newLanguage: string | undefined
}

export class ChunkQueue<Item> {
  readonly #waiting = new WeightedFairQueue<Waiting<Item>>()
  /** Chunk in turn that waits for its language. */
  #held: Waiting<Item> | undefined
  #lanes: number
  #running = 0
  #language = ''
  /** The chunk that was begun last changed the language. */
  #isChanged = false
  /** Chunks begun since the last change of the language. */
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

  /** Takes the next chunk and a lane for it; undefined if none may begin. */
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

  /** Takes the next chunk into the lane of the one that was taken last; undefined if none may share its run. */
  takeBeside(): Item | undefined {
    if (this.#isChanged) return undefined
    const next = this.#held ?? this.#next()
    this.#held = next
    if (next?.language !== this.#language) return undefined
    this.#held = undefined
    this.#begun++
    return next.item
  }

  /** Frees a lane. */
  release(): void {
    this.#running--
  }

  #next(): Waiting<Item> | undefined {
    const isSame = ({ language }: Waiting<Item>) => language === this.#language
    return (this.#begun < this.#lanes ? this.#waiting.take(isSame) : undefined) ?? this.#waiting.take()
  }
}
