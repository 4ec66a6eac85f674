/** Options of the context and the projector, from settings. The dry run and the engine use the same ones. */

import type { ModelManifest } from '../../core/model.ts'
import { defaultThreads, readCpuAllowance } from '../../machine/cpu-allowance.ts'
import type { NativeContextOptions } from './native.ts'
import type { NativeProjectorOptions } from './native-projector.ts'
import type { LlamaPlacement } from './placement.ts'
import type { LlamaSettings } from './settings.ts'

/** Returns the maximum tokens of a prompt with its answer that the operator, the model and the cache allow. */
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

/** Returns the rows of a step that can be sampled, for which the addon reserves memory. */
export function sampledRows({ sequences, batchTokens }: NativeContextOptions): number {
  return Math.min(Math.max(sequences, 32), batchTokens)
}

/**
 * Returns the projector's options. `path` is the file with role `mmproj`. Unless the placement says otherwise, the
 * projector lies on the first device that holds layers.
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
