/**
 * The ways to hold a llama model in memory, by dry runs: the model is loaded without its weights and the engine's own context made
 * of it, so that llama.cpp itself tells what they would take.
 */
import type { MemoryBreakdown } from '../../core/memory.ts'
import type { InstalledModel } from '../../core/model.ts'
import type { EstimatePlacements } from '../engine.ts'
import { contextOptions } from './context-options.ts'
import { loadModel, makeContext, memoryOf } from './load-model.ts'
import { needBytes } from './memory-need.ts'
import type { NativeAddon, NativeModelInfo } from './native.ts'
import { openRuntime } from './open-runtime.ts'
import { type LlamaPlacement, loadOptions, modelPath, onCpu, poolOfDevice } from './placement.ts'
import { planPlacements } from './plan-placements.ts'
import type { LlamaSettings } from './settings.ts'

/** The file may end behind its header, if it is as long as the whole (sparse). */
export const estimateLlama: EstimatePlacements<LlamaSettings> = async ({ model, settings, runtime, budgetBytes }) => {
  const { addon } = await openRuntime(runtime, settings.device)
  const poolOf = poolOfDevice(addon.devices())
  const { info } = await dryRun(addon, model, settings, onCpu)
  return planPlacements({
    devices: addon.devices().map((_, index) => ({ index, pool: poolOf(index) })),
    budgetBytes,
    layers: info.layers,
    hasExperts: info.hasExperts,
    tryOut: async (placement) => {
      const { memory } = await dryRun(addon, model, settings, placement)
      return needBytes(memory, info, settings)
    },
  })
}

/** What llama.cpp says that the model would hold. Recurrent states are allocated all the same, for a moment. */
export async function dryRun(
  addon: NativeAddon,
  model: InstalledModel,
  settings: LlamaSettings,
  placement: LlamaPlacement,
): Promise<{ readonly info: NativeModelInfo; readonly memory: MemoryBreakdown }> {
  const loaded = await loadModel(addon, loadOptions(modelPath(model), placement, true))
  try {
    const context = makeContext(addon, loaded, contextOptions(settings, model.manifest, placement))
    const memory = memoryOf(context, poolOfDevice(addon.devices()))
    await context.close()
    return { info: loaded.info, memory }
  } finally {
    loaded.close()
  }
}
