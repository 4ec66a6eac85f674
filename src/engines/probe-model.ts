import type { InstalledModel } from '../core/model.ts'
import { askChild } from './ask-child.ts'
import { engineProblem, engineTable } from './engine-table.ts'
import { type EstimateOptions, estimatePlacements } from './estimate.ts'
import { settingsOf } from './model-settings.ts'
import { protocolVersion } from './protocol.ts'

/** A model whose engine has no dry run is loaded as a whole. */
const limitMs = 10 * 60_000

export type ProbeOptions = Omit<EstimateOptions, 'budgetBytes' | 'onRemark'>

/**
 * Finds out in a child whether the engine takes a model: by a dry run where the engine has one, else by loading it. What needs
 * an engine that this version does not have is taken. Returns what the operator should know of it. Throws a `LoadError` for a model that
 * cannot be loaded, and the signal's reason when it aborts.
 */
export async function probeModel(model: InstalledModel, options: ProbeOptions, signal: AbortSignal): Promise<string[]> {
  const kind = model.manifest.engine
  const remarks: string[] = []
  if (engineProblem(kind) !== undefined) return remarks
  if ('inChild' in engineTable[kind].placements) {
    // How much memory there is, is not the question.
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
