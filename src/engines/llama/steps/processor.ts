/**
 * Rules that hold for one kind of processor. All others hold everywhere, and follow from the measured costs of steps.
 *
 * On a CPU
 * 1. flash attention computes rows in tiles (`tileRowsOf`), each of which visits the tokens of all its sequences;
 * 2. so answers and prompts are decoded in separate steps (`decodesApart`), as everywhere with separate caches;
 * 3. a part of a group of four rows costs as much as the whole group (`rowGroup`);
 * 4. moving a prompt's state is always faster than computing it.
 *
 * On a GPU
 * 5. a step of prompts holds several batches (`stepTokens`);
 * 6. a prompt's state is moved only if measurements show that this is faster than computing it (`MoveWorth`).
 *
 * The layouts of the KV cache differ too: see `cache/choose-layout.ts`.
 */
import type { EngineInfo } from '../../../core/model-state.ts'
import type { NativeContextOptions } from '../native.ts'
import { type LlamaPlacement, usesCpu } from '../placement.ts'

/** Rows per tile of flash attention on a CPU: `GGML_FA_TILE_Q` of llama.cpp. */
const flashTileRows = 64

/**
 * Returns the rows from which attention is computed in tiles; fewer are computed one by one. 1 without tiles, as with a
 * quantized cache.
 */
export function tileRowsOf(
  device: EngineInfo['device'],
  { kvType, flashAttention, microBatchTokens }: NativeContextOptions,
): number {
  const isFlash = device === 'cpu' && kvType === 'f16' && flashAttention !== 'off'
  return isFlash && microBatchTokens >= flashTileRows ? flashTileRows : 1
}

/**
 * Returns whether answers and prompts are decoded in separate steps. With a cache for each sequence llama.cpp decodes a
 * batch of both in pieces of equal length: the first token of each, then the rest of the prompts. In tiles one answer
 * beside a prompt makes a tile visit its whole conversation too.
 */
export function decodesApart({
  isUnified,
  tileRows,
}: {
  readonly isUnified: boolean
  readonly tileRows: number
}): boolean {
  return !isUnified || tileRows > 1
}

/** Rows that together cost about as much as one more row than the group before. */
export const rowGroup = 4

/** Batches of prompts in a step on a GPU. The decoder splits them again, so that they take no more memory. */
const batchesOnGpu = 4

/**
 * Returns the maximum tokens of a step. If sequences have separate caches, steps of prompts and steps of answers take
 * turns: larger steps of prompts mean fewer of them, and fewer steps of only some answers. With an H200's costs 64
 * prompts of 300 tokens and their answers take 8 % less time with 2,048 tokens a step than with 512. A CPU gains
 * nothing, and a draft head needs memory for each token.
 */
export function stepTokens(
  { batchTokens, contextTokens, draftHead }: Pick<NativeContextOptions, 'batchTokens' | 'contextTokens' | 'draftHead'>,
  placement: LlamaPlacement,
): number {
  if (usesCpu(placement) || draftHead !== undefined) return batchTokens
  return Math.max(batchTokens, Math.min(batchesOnGpu * batchTokens, Math.floor(contextTokens / 4)))
}

/** Minimum prompt rows of a step that measures the cost of a row. */
const leastRows = 64
/** Moves of a parked state: one to save it, one to restore it. */
const moves = 2
/** Number of decisions against moving after which it is tried again: the memory may have been busy. */
const retryAfter = 64
/** Weight of a new measurement in the average. */
const weight = 0.5

/**
 * Decides on a GPU whether to move a prompt's state to host memory and back rather than compute the prompt again. On an
 * H200 a prompt of 430 tokens of an 8B model took 43 ms to compute and 47 ms to save, during which no answer goes on. A
 * CPU moves it a thousand times faster than it computes it.
 */
export class MoveWorth {
  #saveMs: number | undefined
  #computeMs: number | undefined
  #refused = 0

  /** Returns whether to save a state; true while either cost is unknown. */
  isWorthIt(): boolean {
    if (this.#saveMs === undefined || this.#computeMs === undefined) return true
    if (moves * this.#saveMs < this.#computeMs) return true
    this.#refused = (this.#refused + 1) % retryAfter
    return this.#refused === 0
  }

  noteSave(units: number, ms: number): void {
    this.#saveMs = average(this.#saveMs, ms / units)
  }

  /** Notes a step of prompts alone. */
  noteComputed(rows: number, ms: number): void {
    if (rows >= leastRows) this.#computeMs = average(this.#computeMs, ms / rows)
  }
}

function average(before: number | undefined, now: number): number {
  return before === undefined ? now : before + weight * (now - before)
}
