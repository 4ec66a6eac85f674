/** What one step decodes, laid out as the native batch. */
import type { Answer } from './answer.ts'
import type { GrantedRequest } from './granted-request.ts'
import type { NativeBatch } from './native.ts'

/** An answer that owns a sequence. */
export interface Active {
  readonly request: GrantedRequest
  readonly answer: Answer
  readonly sequence: number
  /** Answers that get a copy of this one's sequence once its prompt is decoded. */
  followers: readonly Active[]
  /** Waits as somebody's follower: not decoded itself. */
  isFollower: boolean
  /** Tokens that the answer had when it got the sequence. */
  readonly generatedBefore: number
}

export interface PlannedChunk {
  readonly active: Active
  readonly tokens: readonly number[]
}

export interface StepPlan {
  readonly chunks: readonly PlannedChunk[]
  /** `readers[i]` takes sample i. */
  readonly readers: readonly Active[]
  readonly batch: NativeBatch
}

/**
 * Lays chunks out as one batch, ordered by sequence as the decoder likes it best. A chunk that reaches its answer's end
 * is sampled, once for each of its followers too.
 */
export function toStepPlan(unordered: readonly PlannedChunk[]): StepPlan {
  const chunks = unordered.toSorted((left, right) => left.active.sequence - right.active.sequence)
  const size = chunks.reduce((sum, chunk) => sum + chunk.tokens.length, 0)
  const tokens = new Int32Array(size)
  const positions = new Int32Array(size)
  const sequences = new Int32Array(size)
  const readers: Active[] = []
  const outputs: { entry: number; sampler: Answer['sampler'] }[] = []
  let entry = 0
  for (const { active, tokens: chunk } of chunks) {
    const { answer, sequence, followers } = active
    tokens.set(chunk, entry)
    sequences.fill(sequence, entry, entry + chunk.length)
    for (let offset = 0; offset < chunk.length; offset++) positions[entry + offset] = answer.decoded + offset
    entry += chunk.length
    if (answer.decoded + chunk.length < answer.tokens.length) continue
    for (const reader of [active, ...followers]) {
      readers.push(reader)
      outputs.push({ entry: entry - 1, sampler: reader.answer.sampler })
    }
  }
  return { chunks, readers, batch: { tokens, positions, sequences, outputs } }
}
