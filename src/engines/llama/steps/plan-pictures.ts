import type { NativeBatch } from '../native.ts'
import type { NativePictureEmbeddings } from '../native-projector.ts'
import { prefillTokens } from './prefill-pace.ts'
import { type PictureRun, positionAt } from './prompt-layout.ts'
import { shareBudget } from './share-budget.ts'
import type { Slot } from './slot.ts'
import { layOut, type PlannedChunk, type StepLimits, type StepPlan, toChunk } from './step-plan.ts'

/** Slot whose next place is in an encoded picture. */
export interface PictureSlot {
  readonly slot: Slot
  readonly run: PictureRun
  /** Embeddings of the whole run. */
  readonly encoded: NativePictureEmbeddings
}

type PictureChunk = PictureSlot & PlannedChunk

/**
 * Plans pieces of pictures, as long as pieces of prompts. If the entries of a picture attend to each other in any
 * order, it is decoded alone and whole: llama.cpp may cut batches of several sequences anywhere. `slots` has at least
 * one.
 */
export function planPictures(slots: readonly PictureSlot[], limits: StepLimits & { isNonCausal: boolean }): StepPlan {
  const { batchTokens, pieceTokens, costs, answers, turn, isNonCausal, tileRows } = limits
  if (isNonCausal) {
    const alone = slots.slice(turn % slots.length).slice(0, 1)
    return layOut(
      alone.map((picture) => toPiece(picture, picture.run.entries)),
      (chunks) => ({ ...toContent(chunks), isCausal: false }),
    )
  }
  const demands = slots.map(({ slot, run }) => ({
    accountId: slot.accountId,
    tokens: run.entries - offsetIn(slot, run),
  }))
  const tokens = prefillTokens(costs, { room: batchTokens, pieceTokens, answers, prompts: demands, tileRows })
  const shares = shareBudget(demands, { tokens, limit: batchTokens, turn })
  return layOut(
    slots.map((picture, index) => toPiece(picture, shares[index] ?? 0)),
    toContent,
  )
}

function toPiece(picture: PictureSlot, count: number): PictureChunk {
  return { ...picture, ...toChunk(picture.slot, count) }
}

function offsetIn({ answer }: Slot, { start }: PictureRun): number {
  return answer.decoded - start
}

/**
 * Positions in time, height and width continue from the picture's first one. The fourth is unused and stays unchanged.
 */
const countedDimensions = 3

function toContent(chunks: readonly PictureChunk[]): Pick<NativeBatch, 'tokens' | 'embeddings' | 'positions'> {
  const [first] = chunks
  if (first === undefined) throw new Error('a step without a piece of a picture: this is a bug')
  const total = chunks.reduce((sum, { units }) => sum + units.length, 0)
  const embeddingSize = first.encoded.embeddings.length / first.run.entries
  const dimensions = first.encoded.positions.length / first.run.entries
  const embeddings = new Float32Array(total * embeddingSize)
  const positions = new Int32Array(total * dimensions)
  let entry = 0
  for (const { slot, run, encoded, units } of chunks) {
    const begin = offsetIn(slot, run)
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
