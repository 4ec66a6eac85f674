/**
 * Placements of a llama model in memory, found by dry runs: the model is loaded without its weights, and llama.cpp
 * reports the memory that the engine's own context of it would take.
 */
import type { MemoryBytes } from '../../core/memory.ts'
import type { InstalledModel } from '../../core/model.ts'
import type { EstimatePlacements } from '../protocol/engine.ts'
import { contextOptions, projectorOptions } from './context-options.ts'
import { draftLimits, loadModelWithHead } from './draft-head.ts'
import { loadModel, makeContext, memoryOf, projectorMemory, templateRemark } from './load-model.ts'
import { needBytes } from './memory-need.ts'
import type { NativeAddon, NativeModelInfo } from './native.ts'
import { openRuntime } from './open-runtime.ts'
import { type LlamaPlacement, loadOptions, modelPath, onCpu, poolOfDevice } from './placement.ts'
import { planPlacements } from './plan-placements.ts'
import type { LlamaSettings } from './settings.ts'

interface DryRun {
  readonly info: NativeModelInfo
  readonly needBytes: MemoryBytes
  /** True if the CPU copies weights into another order. */
  readonly isReordered: boolean
}

/** Returns the placements. A sparse file that holds the header alone suffices if it has the model's full size. */
export const estimateLlama: EstimatePlacements<LlamaSettings> = async (request) => {
  const { model, settings, runtime, budgetBytes, onRemark } = request
  const { addon, computing } = await openRuntime(runtime, settings.device)
  const poolOf = poolOfDevice(addon.devices())
  const { info, needBytes, isReordered } = await dryRun(addon, model, settings, onCpu)
  const remark = onRemark && (await readRemark(addon, model))
  if (remark !== undefined) onRemark?.(remark)
  return planPlacements({
    devices: addon
      .devices()
      .flatMap((_, index) => (computing?.includes(index) === false ? [] : { index, pool: poolOf(index) })),
    budgetBytes,
    layers: info.layers,
    hasExperts: info.hasExperts,
    hasProjector: model.filePaths.mmproj !== undefined,
    // A mapped file would lie in memory together with the reordered copy.
    onHost: { load: { ...onCpu, isMapped: !isReordered }, needBytes },
    tryOut: async (placement) => (await dryRun(addon, model, settings, placement)).needBytes,
  })
}

/**
 * Reads the vocabulary and the chat template, which dry runs pass over. Throws a `LoadError` if they cannot be read.
 */
async function readRemark(addon: NativeAddon, model: InstalledModel): Promise<string | undefined> {
  const loaded = await loadModel(addon, loadOptions(modelPath(model), onCpu, { vocabularyOnly: true }))
  try {
    return await templateRemark(loaded)
  } finally {
    loaded.close()
  }
}

/** Loads without allocating, except for recurrent states, which exist for a moment. */
async function dryRun(
  addon: NativeAddon,
  model: InstalledModel,
  settings: LlamaSettings,
  placement: LlamaPlacement,
): Promise<DryRun> {
  const loaded = await loadModelWithHead(addon, { installed: model, settings, placement }, { noAlloc: true })
  const { info } = loaded.model
  try {
    const options = { ...contextOptions(settings, model.manifest, placement), ...loaded.head }
    const context = makeContext(addon, loaded.model, options)
    const { mmproj } = model.filePaths
    const projector =
      mmproj === undefined ? [] : await projectorMemory(addon, projectorOptions(mmproj, settings, placement))
    const holders = [context, { memoryBreakdown: () => projector }]
    const memory = memoryOf(holders, poolOfDevice(addon.devices()))
    const isReordered = context.memoryBreakdown().some(({ reorderedBytes }) => reorderedBytes > 0)
    await context.close()
    const extras = {
      sees: mmproj !== undefined,
      hasHead: loaded.head.draftHead !== undefined,
      draftRows: draftLimits(settings, info, options).rows,
    }
    return { info, needBytes: needBytes(memory, info, settings, extras), isReordered }
  } finally {
    loaded.close()
  }
}
