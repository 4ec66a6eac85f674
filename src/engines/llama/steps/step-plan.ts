/** Decides what a step decodes, and lays it out as the native batch. */
import type { NativeBatch } from '../native.ts'
import type { PrefillPace } from './prefill-pace.ts'
import { shareBudget } from './share-budget.ts'
import type { Slot } from './slot.ts'

/** Tokens of one answer that a step decodes. */
export interface PlannedChunk {
  readonly slot: Slot
  readonly tokens: readonly number[]
}

export interface StepPlan {
  readonly chunks: readonly PlannedChunk[]
  /** `readers[i]` takes sample i. */
  readonly readers: readonly Slot[]
  readonly batch: NativeBatch
}

/**
 * A token for each answer that is being generated, then pieces of the prompts that are being processed. `turn`: whose it
 * is when there are more accounts than tokens.
 */
export function planStep(working: readonly Slot[], batchTokens: number, pace: PrefillPace, turn: number): StepPlan {
  const generating = working.filter(({ answer }) => answer.isGenerating)
  const processing = working.filter(({ answer }) => !answer.isGenerating)
  const demands = processing.map(({ accountId, answer }) => ({ accountId, tokens: answer.undecoded }))
  const shares = shareBudget(demands, {
    tokens: pace.budget(generating.length, processing.length),
    limit: Math.max(0, batchTokens - generating.length),
    turn,
  })
  const chunks = [
    ...generating.map((slot) => toChunk(slot, 1)),
    ...processing.map((slot, index) => toChunk(slot, shares[index] ?? 0)),
  ]
  return layOut(chunks.filter(({ tokens }) => tokens.length > 0))
}

function toChunk(slot: Slot, count: number): PlannedChunk {
  const { tokens, decoded } = slot.answer
  return { slot, tokens: tokens.slice(decoded, decoded + count) }
}

/**
 * Ordered by sequence, as the decoder likes it best. A chunk that reaches its answer's end is sampled, once for each of its
 * followers too.
 */
function layOut(unordered: readonly PlannedChunk[]): StepPlan {
  const chunks = unordered.toSorted((left, right) => left.slot.sequence - right.slot.sequence)
  const size = chunks.reduce((sum, chunk) => sum + chunk.tokens.length, 0)
  const tokens = new Int32Array(size)
  const positions = new Int32Array(size)
  const sequences = new Int32Array(size)
  const readers: Slot[] = []
  const outputs: NativeBatch['outputs'][number][] = []
  let entry = 0
  for (const { slot, tokens: chunk } of chunks) {
    const { answer, sequence, followers } = slot
    tokens.set(chunk, entry)
    sequences.fill(sequence, entry, entry + chunk.length)
    for (let offset = 0; offset < chunk.length; offset++) positions[entry + offset] = answer.decoded + offset
    entry += chunk.length
    if (answer.decoded + chunk.length < answer.tokens.length) continue
    for (const reader of [slot, ...followers]) {
      readers.push(reader)
      outputs.push({ entry: entry - 1, sampler: reader.answer.sampler })
    }
  }
  return { chunks, readers, batch: { tokens, positions, sequences, outputs } }
}
