/**
 * Content of a step as a native batch. A batch holds tokens or pictures, because llama.cpp decodes one kind per call.
 */
import type { NativeBatch, NativeNextResult, NativeSample, NativeScores, NativeScoring } from '../native.ts'
import type { NativePictureEmbeddings } from '../native-projector.ts'
import { type PictureRun, positionAt } from './prompt-layout.ts'
import { isScored } from './scored-prompts.ts'
import type { Slot } from './slot.ts'

/** Slot whose next place is in an encoded picture. */
export interface PictureSlot {
  readonly slot: Slot
  readonly run: PictureRun
  /** Embeddings of the whole run. */
  readonly encoded: NativePictureEmbeddings
}

/** Units of one answer in a step. */
export interface PlannedChunk {
  readonly slot: Slot
  readonly units: readonly number[]
  /** Number of proposed tokens among the last units. */
  readonly drafts: number
}

/** Places of a prompt that a step scores. */
interface ScoredChunk {
  readonly slot: Slot
  /** End of the places whose scores are known after the step. */
  readonly end: number
  /** Index of its wish in the batch. Undefined if only the first place is reported, which has no score. */
  readonly index: number | undefined
}

export interface StepPlan {
  readonly chunks: readonly PlannedChunk[]
  /** `readers[i]` takes sample i. */
  readonly readers: readonly Slot[]
  readonly scored: readonly ScoredChunk[]
  readonly batch: NativeBatch
  /** Entries of running answers, including proposed ones, and of prompts. */
  readonly answerRows: number
  readonly promptRows: number
  /** Part of the prompts' entries whose prompts are scored. */
  readonly scoredRows: number
}

type PictureChunk = PictureSlot & PlannedChunk
type Content = Omit<NativeBatch, 'sequences' | 'outputs'>

/** Returns the next units of an answer, and the proposals after its last one. */
export function toChunk(slot: Slot, count: number, proposed: readonly number[] = []): PlannedChunk {
  const { units, decoded } = slot.answer
  return { slot, units: [...units.slice(decoded, decoded + count), ...proposed], drafts: proposed.length }
}

/** Returns a step of tokens. */
export function layOutTokens(chunks: readonly PlannedChunk[]): StepPlan {
  return layOut(chunks, (laid) => {
    const tokens = laid.flatMap(({ units }) => units)
    const positions = laid.flatMap(({ slot: { answer }, units }) => {
      const first = positionAt(answer.runs, answer.decoded)
      return units.map((_, offset) => first + offset)
    })
    return { tokens: Int32Array.from(tokens), positions: Int32Array.from(positions) }
  })
}

/**
 * Returns a step of the next `counts[i]` entries of each picture. With `isWhole` they attend to each other in any
 * order.
 */
export function layOutPictures(pictures: readonly PictureSlot[], counts: readonly number[], isWhole = false): StepPlan {
  const chunks = pictures.map((picture, index) => ({ ...picture, ...toChunk(picture.slot, counts[index] ?? 0) }))
  return layOut(chunks, (laid) => ({ ...contentOf(laid), ...(isWhole && { isCausal: false }) }))
}

/**
 * Lays chunks out by sequence, the decoder's preferred order. A chunk that reaches its answer's end is sampled once for
 * the answer and once for each of its followers. `content` is the content of the chunks in order.
 */
function layOut<Chunk extends PlannedChunk>(
  unordered: readonly Chunk[],
  content: (chunks: readonly Chunk[]) => Content,
): StepPlan {
  const chunks = unordered
    .filter(({ units }) => units.length > 0)
    .toSorted((left, right) => left.slot.sequence - right.slot.sequence)
  const sequences = new Int32Array(rowsOf(chunks))
  const readers: Slot[] = []
  const outputs: NativeBatch['outputs'][number][] = []
  let entry = 0
  for (const { slot, units, drafts } of chunks) {
    const { answer, sequence, followers } = slot
    sequences.fill(sequence, entry, entry + units.length)
    entry += units.length
    if (answer.decoded + units.length - drafts < answer.units.length || answer.isPromptOnly) continue
    for (const reader of [slot, ...followers]) {
      readers.push(reader)
      outputs.push({ entry: entry - 1 - drafts, sampler: reader.answer.sampler, drafts })
    }
  }
  const answerRows = rowsOf(chunks.filter(({ slot }) => slot.answer.isGenerating))
  const promptRows = sequences.length - answerRows
  const { scored, scores } = scoresOf(chunks)
  const scoredRows = rowsOf(chunks.filter(({ slot }) => isScored(slot)))
  const batch = { ...content(chunks), sequences, outputs, ...(scores.length > 0 && { scores }) }
  return { chunks, readers, scored, batch, answerRows, promptRows, scoredRows }
}

/** Returns the places that chunks in their final order score: an entry scores the place behind it. */
function scoresOf(chunks: readonly PlannedChunk[]) {
  const scored: ScoredChunk[] = []
  const scores: NativeScoring[] = []
  let entry = 0
  for (const { slot, units } of chunks) {
    const { wantedScores: top, prompt, decoded, scoredPlaces } = slot.answer
    const end = Math.min(decoded + units.length + 1, prompt.units.length)
    if (top !== undefined && end > scoredPlaces) {
      const first = Math.max(1, scoredPlaces)
      const next = Int32Array.from(Array.from({ length: end - first }, (_, index) => prompt.units[first + index] ?? 0))
      scored.push({ slot, end, index: next.length > 0 ? scores.length : undefined })
      if (next.length > 0) scores.push({ entry: entry + first - 1 - decoded, next, top })
    }
    entry += units.length
  }
  return { scored, scores }
}

/** Returns the scores of a planned chunk. */
export function scoresAt({ index }: ScoredChunk, scores: readonly NativeScores[] = []): NativeScores | undefined {
  if (index === undefined) return undefined
  const found = scores[index]
  if (found === undefined) throw new Error('a step returned too few scores: this is a bug')
  return found
}

function rowsOf(chunks: readonly PlannedChunk[]): number {
  return chunks.reduce((sum, { units }) => sum + units.length, 0)
}

/**
 * Positions in time, height and width continue from the picture's first one. The fourth is unused and stays unchanged.
 */
const countedDimensions = 3

function contentOf(chunks: readonly PictureChunk[]): Content {
  const [first] = chunks
  if (first === undefined) throw new Error('a step without a piece of a picture: this is a bug')
  const total = rowsOf(chunks)
  const embeddingSize = first.encoded.embeddings.length / first.run.entries
  const dimensions = first.encoded.positions.length / first.run.entries
  const embeddings = new Float32Array(total * embeddingSize)
  const positions = new Int32Array(total * dimensions)
  let entry = 0
  for (const { slot, run, encoded, units } of chunks) {
    const begin = slot.answer.decoded - run.start
    const end = begin + units.length
    embeddings.set(encoded.embeddings.subarray(begin * embeddingSize, end * embeddingSize), entry * embeddingSize)
    const firstPosition = positionAt(slot.answer.runs, run.start)
    for (let dimension = 0; dimension < dimensions; dimension++) {
      const relative = encoded.positions.subarray(dimension * run.entries + begin, dimension * run.entries + end)
      const base = dimension < countedDimensions ? firstPosition : 0
      positions.set(
        relative.map((position) => base + position),
        dimension * total + entry,
      )
    }
    entry += units.length
  }
  return { tokens: new Int32Array(0), embeddings, positions }
}

/** Returns whether every answer of a step goes on, by the same rule as in the addon. */
export function allGoOn(result: NativeNextResult): boolean {
  if (result.kind !== 'ok') return false
  return result.samples.every(
    ([only, ...more]) => more.length === 0 && only?.end === undefined && only?.error === undefined,
  )
}

/**
 * Returns the plan of the step that began behind one with these samples. It decodes all of them, even those of requests
 * cancelled since, which accept no more tokens. The addon lays out its batch.
 */
export function planBehind(plan: StepPlan, samples: readonly (readonly NativeSample[])[]): StepPlan {
  const chunks = plan.chunks.map(({ slot }, index) => {
    const units = (samples[index] ?? []).map(({ token }) => token)
    return { slot, units, drafts: 0 }
  })
  return { ...plan, chunks }
}
