/** Choice of one model per purpose for this machine. Pure. */
import type { EngineKind, ModelManifest, ModelPurpose } from '../core/model.ts'
import { engineTable } from '../engines/engine-table.ts'
import { fitOf, guessNeed, type MemoryNeed, type PoolRoom } from './fit.ts'

export interface Candidate {
  readonly id: string
  readonly purpose: ModelPurpose
  readonly engine: EngineKind
  readonly why: string | undefined
  readonly isCarried: boolean
  readonly acceptLicense: boolean
  readonly status: string
  readonly diskBytes: number
  readonly downloadBytes: number | undefined
  readonly memory: MemoryNeed | undefined
}

export function purposeOf({ type, capabilities }: Pick<ModelManifest, 'type' | 'capabilities'>): ModelPurpose {
  return type === 'stt' && capabilities.diarization === true ? 'diarization' : type
}

export function mayUseDevices(engine: EngineKind): boolean {
  return 'device' in engineTable[engine].settings
}

/** Room for a context, as a share of the files, where the need is only guessed. */
const contextShare = 0.25

/** Largest files in bytes that are recommended for a CPU. Larger models are slow there. */
const cpuLimitBytes: Readonly<Partial<Record<ModelPurpose, number>>> = { chat: 16e9, vision: 16e9, stt: 1e9 }

/**
 * Returns the ids of the recommended models, one per purpose: the largest that fits into this machine with room for its
 * context, on a device if possible. Without any known size the purpose's first model. Left out are models without a
 * `why`, those that come with the program, broken ones, and those whose licence must be accepted first.
 */
export function recommendedModels(models: readonly Candidate[], rooms: readonly PoolRoom[]): ReadonlySet<string> {
  const candidates = models.filter(
    ({ why, isCarried, acceptLicense, status }) =>
      why !== undefined && !isCarried && !acceptLicense && status !== 'broken',
  )
  const chosen = [...Map.groupBy(candidates, ({ purpose }) => purpose).values()].map((group) => best(group, rooms))
  return new Set(chosen.flatMap((model) => model?.id ?? []))
}

function best(group: readonly Candidate[], rooms: readonly PoolRoom[]): Candidate | undefined {
  if (group.every((model) => fileBytesOf(model) === undefined)) return group[0]
  const placed = group.flatMap((model) => {
    const need = needWithContext(model, rooms)
    if (need === undefined || (fitOf(need, rooms)?.verdict ?? 'too-large') === 'too-large') return []
    const fileBytes = fileBytesOf(model) ?? 0
    const isOnCpu = Object.entries(need.bytes).every(([pool, bytes]) => pool === 'host' || bytes === 0)
    if (isOnCpu && fileBytes > (cpuLimitBytes[model.purpose] ?? Number.POSITIVE_INFINITY)) return []
    return [{ model, fileBytes, isOnCpu }]
  })
  const order = placed.toSorted(
    (left, right) => Number(left.isOnCpu) - Number(right.isOnCpu) || right.fileBytes - left.fileBytes,
  )
  return order[0]?.model
}

function fileBytesOf({ diskBytes, downloadBytes }: Candidate): number | undefined {
  return downloadBytes ?? (diskBytes > 0 ? diskBytes : undefined)
}

/** Returns the memory need. A guess is increased by room for a context, if the engine has one. */
function needWithContext(model: Candidate, rooms: readonly PoolRoom[]): MemoryNeed | undefined {
  const { memory, engine } = model
  const fileBytes = fileBytesOf(model)
  const hasContext = 'context-tokens' in engineTable[engine].settings
  if (memory?.source !== 'guessed' || fileBytes === undefined || !hasContext) return memory
  return guessNeed(fileBytes * (1 + contextShare), rooms, mayUseDevices(engine))
}
