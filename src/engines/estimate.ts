/** Estimates a model's placements in memory before it is loaded. */

import type { MemoryBytes, Placement } from '../core/memory.ts'
import type { EngineKind, InstalledModel } from '../core/model.ts'
import type { DeviceSetting } from './backends/choose-backend.ts'
import { type EngineSettings, engineTable } from './engine-table.ts'
import { askChild, NoAnswer } from './host/ask-child.ts'
import type { EngineSpawn } from './host/spawn-engine.ts'
import { settingsOf } from './model-settings.ts'
import type { RuntimePaths } from './protocol/backend.ts'
import { protocolVersion } from './protocol/messages.ts'

/** Limit of a dry run. It takes well under a second and reads only the beginning of a file, but a disk may be slow. */
const limitMs = 60_000

export interface EstimateOptions {
  readonly spawn: EngineSpawn
  /** The server's settings, for everything that the model's manifest leaves open. */
  readonly settings: EngineSettings
  readonly runtime: (device?: DeviceSetting, kind?: EngineKind) => Promise<RuntimePaths>
  /** Bytes of each pool that models may have while nothing is loaded. */
  readonly budgetBytes: MemoryBytes
  /** Called with each remark for the operator about the model. */
  readonly onRemark?: ((remark: string) => void) | undefined
}

/**
 * Returns the ways to hold a model in memory, the best first; at least one. For the llama engine a sparse file of full
 * size that holds only the header suffices. Throws a `LoadError` for a model that cannot be loaded, and the signal's
 * reason when it aborts.
 */
export async function estimatePlacements(
  model: InstalledModel,
  { spawn, settings: server, runtime, budgetBytes, onRemark }: EstimateOptions,
  signal: AbortSignal,
): Promise<readonly Placement[]> {
  const kind = model.manifest.engine
  const { placements } = engineTable[kind]
  const settings = settingsOf(model.manifest, server)
  const request = { model, settings, runtime: await runtime(settings.device, kind), budgetBytes }
  signal.throwIfAborted()
  // `settings` were read by the rows of the same engine.
  if ('inServer' in placements) return placements.inServer({ ...request, onRemark } as never)
  const wantsRemarks = onRemark !== undefined
  const question = { type: 'estimate', version: protocolVersion, kind, ...request, wantsRemarks } as const
  const ask = () => askChild(spawn, question, { answer: 'placements', limitMs, signal })
  // Requests wait for the answer, so a crash is retried once: it may have been accidental. Malformed files crash both
  // children.
  const answer = await ask().catch((error: unknown) => {
    if (!(error instanceof NoAnswer)) throw error
    return ask()
  })
  for (const remark of answer.remarks) onRemark?.(remark)
  return answer.placements
}
