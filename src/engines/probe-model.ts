import type { InstalledModel } from '../core/model.ts'
import { engineProblem, engineTable } from './engine-table.ts'
import { type EstimateOptions, estimatePlacements } from './estimate.ts'
import { askChild } from './host/ask-child.ts'
import { settingsOf } from './model-settings.ts'
import { protocolVersion } from './protocol/messages.ts'

/** Time limit. Models whose engine has no dry run are loaded completely. */
const limitMs = 10 * 60_000

export type ProbeOptions = Omit<EstimateOptions, 'budgetBytes' | 'onRemark'>

/**
 * Tests in a child whether the engine accepts a model: by a dry run if the engine has one, else by loading it. Accepts
 * models of engines missing in this version. Returns remarks for the operator. Throws a `LoadError` for a model that
 * cannot be loaded, and the signal's reason when it aborts.
 */
export async function probeModel(model: InstalledModel, options: ProbeOptions, signal: AbortSignal): Promise<string[]> {
  const kind = model.manifest.engine
  const remarks: string[] = []
  if (engineProblem(kind) !== undefined) return remarks
  if ('inChild' in engineTable[kind].placements) {
    // Unlimited, since the amount of memory is not tested.
    const budgetBytes = { host: Number.MAX_SAFE_INTEGER }
    const onRemark = (remark: string) => void remarks.push(remark)
    await estimatePlacements(model, { ...options, budgetBytes, onRemark }, signal)
    return remarks
  }
  const question = {
    type: 'load',
    version: protocolVersion,
    kind,
    model,
    settings: settingsOf(model.manifest, options.settings),
    runtime: await options.runtime(settingsOf(model.manifest, options.settings).device),
    isCautious: true,
  } as const
  await askChild(options.spawn, question, { answer: 'ready', limitMs, signal })
  return remarks
}
