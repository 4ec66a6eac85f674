/** What a step decodes, laid out as the native batch. A batch holds tokens or pictures, as llama.cpp decodes one kind a call. */
import type { NativeBatch } from '../native.ts'
import type { Drafts } from './drafts/drafts.ts'
import type { Slot } from './slot.ts'
import type { StepCosts } from './step-costs.ts'

/** Units of one answer that a step decodes. */
export interface PlannedChunk {
  readonly slot: Slot
  readonly units: readonly number[]
  /** How many of them, the last ones, are only proposed: tokens that may follow the answer as it is. */
  readonly drafts: number
}

export interface StepPlan {
  readonly chunks: readonly PlannedChunk[]
  /** `readers[i]` takes sample i. */
  readonly readers: readonly Slot[]
  readonly batch: NativeBatch
  /** Entries of answers that are being generated, the proposed ones included, and of prompts. */
  readonly answerRows: number
  readonly promptRows: number
}

export interface StepLimits {
  /** Entries of a batch. */
  readonly batchTokens: number
  /** Prompt tokens of a step whatever they cost, while nobody waits for it; absent: as many as it has room for. */
  readonly pieceTokens?: number | undefined
  readonly costs: StepCosts
  /** Accounts of the answers that are being generated, which wait for this step. */
  readonly answers: readonly string[]
  /** Prompts, pictures or encodings wait for a step of their own. */
  readonly hasOthers: boolean
  /** Counts the steps of its kind: whose turn it is where not all can have one. */
  readonly turn: number
  /** All sequences lie in one KV cache. */
  readonly isUnified: boolean
  /** So many rows and more share tiles in attention; fewer are computed one by one. 1: there are no tiles. */
  readonly tileRows: number
  /** Undefined: nothing is proposed. */
  readonly drafts: Pick<Drafts, 'choose'> | undefined
}

/** The next units of an answer, and what is proposed to follow them if they are its last. */
export function toChunk(slot: Slot, count: number, proposed: readonly number[] = []): PlannedChunk {
  const { units, decoded } = slot.answer
  return { slot, units: [...units.slice(decoded, decoded + count), ...proposed], drafts: proposed.length }
}

/**
 * Ordered by sequence, as the decoder likes it best. A chunk that reaches its answer's end is sampled, once for each of its
 * followers too. `content`: of the chunks in their order.
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
