/** The context and the projector that settings ask for. The dry run makes the same ones as the engine. */

import type { ModelManifest } from '../../core/model.ts'
import { defaultThreads, readCpuAllowance } from '../../machine/cpu-allowance.ts'
import type { EngineInfo } from '../protocol/protocol.ts'
import type { NativeContextOptions } from './native.ts'
import type { NativeProjectorOptions } from './native-projector.ts'
import { type LlamaPlacement, usesCpu } from './placement.ts'
import type { LlamaSettings } from './settings.ts'

/** Returns the longest prompt and answer of one request that the operator, the model and the cache allow. */
export function requestTokens(settings: LlamaSettings, { contextLength }: ModelManifest): number {
  const wanted = settings.requestTokens > 0 ? settings.requestTokens : settings.contextTokens
  return Math.min(wanted, contextLength ?? wanted, settings.contextTokens)
}

export function contextOptions(
  settings: LlamaSettings,
  manifest: ModelManifest,
  { microBatchTokens }: Pick<LlamaPlacement, 'microBatchTokens'>,
): NativeContextOptions {
  const { contextTokens, parallel, kvType, flashAttention } = settings
  // A step takes one token of every answer.
  const batchTokens = Math.max(settings.batchTokens, parallel)
  return {
    contextTokens,
    batchTokens,
    microBatchTokens: microBatchTokens === 0 ? batchTokens : Math.min(microBatchTokens, batchTokens),
    sequences: parallel,
    threads: threadsOf(settings),
    // Sequences with separate caches are faster, if that much memory was granted.
    kvUnified: requestTokens(settings, manifest) * parallel > contextTokens,
    kvType,
    flashAttention,
  }
}

/** Batches of prompts that a step on a GPU may hold. The decoder cuts them again, so that they take no more memory. */
const batchesOnGpu = 4

/**
 * Returns the most tokens of a step. Where sequences have caches of their own, answers wait for one step of prompts and have one of their
 * own, in turn: larger steps of prompts are fewer steps of some answers. With an H200's costs 64 prompts of 300 tokens and their answers
 * take 0.08 less time with 2,048 tokens a step than with 512. A CPU gains nothing, and a draft head wants memory for each token.
 */
export function stepTokens(
  { batchTokens, contextTokens, draftHead }: Pick<NativeContextOptions, 'batchTokens' | 'contextTokens' | 'draftHead'>,
  placement: LlamaPlacement,
): number {
  if (usesCpu(placement) || draftHead !== undefined) return batchTokens
  return Math.max(batchTokens, Math.min(batchesOnGpu * batchTokens, Math.floor(contextTokens / 4)))
}

/** Rows of a tile that flash attention computes on a CPU: `GGML_FA_TILE_Q` of llama.cpp. */
const flashTileRows = 64

/** Returns `tileRows` of steps. A quantized cache has no tiles. */
export function tileRowsOf(
  device: EngineInfo['device'],
  { kvType, flashAttention, microBatchTokens }: NativeContextOptions,
): number {
  const isFlash = device === 'cpu' && kvType === 'f16' && flashAttention !== 'off'
  return isFlash && microBatchTokens >= flashTileRows ? flashTileRows : 1
}

/** Returns the rows of a step that can be sampled, for which the addon reserves memory. */
export function sampledRows({ sequences, batchTokens }: NativeContextOptions): number {
  return Math.min(Math.max(sequences, 32), batchTokens)
}

/**
 * Returns the projector's options. `path` is the file with role `mmproj`. Unless the placement says otherwise, it lies
 * on the first device that holds layers.
 */
export function projectorOptions(
  path: string,
  settings: LlamaSettings,
  { devices, isProjectorOnCpu }: Pick<LlamaPlacement, 'devices' | 'isProjectorOnCpu'>,
): Omit<NativeProjectorOptions, 'model'> {
  const { imageTokens, flashAttention } = settings
  const device = isProjectorOnCpu ? undefined : devices[0]
  return { path, device, threads: threadsOf(settings), imageTokens, flashAttention }
}

function threadsOf({ threads }: LlamaSettings): number {
  return threads > 0 ? threads : defaultThreads(readCpuAllowance())
}
