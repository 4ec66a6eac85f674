/**
 * Content of a step as a native batch. A batch holds tokens or pictures, because llama.cpp decodes one kind per call.
 */
import type { NativeBatch } from '../native.ts'
import type { Drafts } from './drafts/drafts.ts'
import type { Slot } from './slot.ts'
import type { StepCosts } from './step-costs.ts'

/** Units of one answer that a step decodes. */
export interface PlannedChunk {
  readonly slot: Slot
  readonly units: readonly number[]
  /** Number of proposed tokens among the last units. */
  readonly drafts: number
}

export interface StepPlan {
  readonly chunks: readonly PlannedChunk[]
  /** `readers[i]` takes sample i. */
  readonly readers: readonly Slot[]
  readonly batch: NativeBatch
  /** Entries of running answers, including proposed ones, and of prompts. */
  readonly answerRows: number
  readonly promptRows: number
}

export interface StepLimits {
  /** Most entries of a batch. */
  readonly batchTokens: number
  /** Prompt tokens of a step at any cost while nobody waits for it. Absent fills its room. */
  readonly pieceTokens?: number | undefined
  readonly costs: StepCosts
  /** Accounts of the running answers, which wait for this step. */
  readonly answers: readonly string[]
  /** True if prompts, pictures or encodings wait for a separate step. */
  readonly hasOthers: boolean
  /** Count of steps of this kind, which rotates the turn. */
  readonly turn: number
  /** True if all sequences share one KV cache. */
  readonly isUnified: boolean
  /** Rows from which attention is computed in tiles; fewer are computed one by one. 1 without tiles. */
  readonly tileRows: number
  /** Undefined disables proposals. */
  readonly drafts: Pick<Drafts, 'choose'> | undefined
}

/** Returns the next units of an answer, and the proposals after them if they are its last. */
export function toChunk(slot: Slot, count: number, proposed: readonly number[] = []): PlannedChunk {
  const { units, decoded } = slot.answer
  return { slot, units: [...units.slice(decoded, decoded + count), ...proposed], drafts: proposed.length }
}

/**
 * Lays chunks out by sequence, the decoder's preferred order. A chunk that reaches its answer's end is sampled, also
 * once for each of its followers. `content` is that of the chunks in order.
 */
export function layOut<Chunk extends PlannedChunk>(
  unordered: readonly Chunk[],
  content: (chunks: readonly Chunk[]) => Omit<NativeBatch, 'sequences' | 'outputs'>,
): StepPlan {
  const chunks = unordered
    .filter(({ units }) => units.length > 0)
    .toSorted((left, right) => left.slot.sequence - right.slot.sequence)
  const count = (some: readonly PlannedChunk[]) => some.reduce((sum, { units }) => sum + units.length, 0)
  const sequences = new Int32Array(count(chunks))
  const readers: Slot[] = []
  const outputs: NativeBatch['outputs'][number][] = []
  let entry = 0
  for (const { slot, units, drafts } of chunks) {
    const { answer, sequence, followers } = slot
    sequences.fill(sequence, entry, entry + units.length)
    entry += units.length
    if (answer.decoded + units.length - drafts < answer.units.length) continue
    for (const reader of [slot, ...followers]) {
      readers.push(reader)
      outputs.push({ entry: entry - 1 - drafts, sampler: reader.answer.sampler, drafts })
    }
  }
  const answerRows = count(chunks.filter(({ slot }) => slot.answer.isGenerating))
  const promptRows = sequences.length - answerRows
  return { chunks, readers, batch: { ...content(chunks), sequences, outputs }, answerRows, promptRows }
}
