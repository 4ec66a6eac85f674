/** Loads a GGUF, completely or only as far as its memory need requires. */
import type { MemoryBreakdown, MemoryParts, PoolId } from '../../core/memory.ts'
import type { LoadFailure } from '../../core/model-state.ts'
import { printableLine } from '../../core/printable.ts'
import { LoadError } from '../protocol/load-error.ts'
import type { TemplateAbilities } from '../shared/messages/template-abilities.ts'
import type { CacheLayouts } from './cache/cache-layouts.ts'
import type {
  NativeAddon,
  NativeContext,
  NativeContextOptions,
  NativeLoadOptions,
  NativeMemory,
  NativeModel,
} from './native.ts'
import type { NativeProjector, NativeProjectorOptions } from './native-projector.ts'
import { MediaUnits } from './steps/prefix-cache.ts'

/** Parts of a loaded model that read pictures and recordings. */
interface Vision {
  readonly projector: NativeProjector
  readonly units: MediaUnits
}

export interface LoadedModel {
  readonly addon: NativeAddon
  readonly model: NativeModel
  /** Abilities of its chat template. */
  readonly abilities: TemplateAbilities
  /** Projector. Undefined for models that read only text. */
  readonly vision: Vision | undefined
  readonly context: NativeContext
  /** Options of a context with one cache, or with the operator's choice; `layouts` tells which layout it has. */
  readonly options: NativeContextOptions
  readonly layouts: CacheLayouts
  /** Maximum tokens per step, at least a batch. */
  readonly stepTokens: number
}

/** Codes of the addon's errors. */
const failures: Readonly<Record<string, LoadFailure>> = {
  OUT_OF_MEMORY: 'out-of-memory',
  LOAD_FAILED: 'bad-model',
}

/** Milliseconds between two reports of the progress to the parent. */
const progressEveryMs = 1000

/** Maximum characters of llama.cpp's message about a template, which may repeat much of it. */
const mostProblemLength = 300

/** Loads a model. Throws a `LoadError` in llama.cpp's words. */
export async function loadModel(
  addon: NativeAddon,
  options: NativeLoadOptions,
  onProgress: (fraction: number) => void = () => undefined,
): Promise<NativeModel> {
  const timer = setInterval(() => onProgress(addon.loadProgress()), progressEveryMs)
  try {
    return await Promise.try(() => addon.loadModel(options)).catch(fail)
  } finally {
    clearInterval(timer)
  }
}

/**
 * Loads the model's projector. Undefined for one that neither sees nor hears what is sent here. Throws a `LoadError` in
 * llama.cpp's words, such as for a projector of another model.
 */
export async function loadVision(addon: NativeAddon, options: NativeProjectorOptions): Promise<LoadedModel['vision']> {
  const projector = await Promise.try(() => addon.loadProjector(options)).catch(fail)
  if (projector.seesImages || projector.hears) return { projector, units: new MediaUnits() }
  await projector.close()
  return undefined
}

/**
 * Returns the memory that a projector would take, according to its header. Throws a `LoadError` in llama.cpp's words.
 */
export function projectorMemory(
  addon: NativeAddon,
  options: Omit<NativeProjectorOptions, 'model'>,
): Promise<readonly NativeMemory[]> {
  return Promise.try(() => addon.projectorMemory(options)).catch(fail)
}

/** Creates a context. Throws a `LoadError` if memory does not suffice. */
export function makeContext(addon: NativeAddon, model: NativeModel, options: NativeContextOptions): NativeContext {
  try {
    return new addon.Context(model, options)
  } catch (error) {
    throw loadError(error, 'other')
  }
}

/**
 * Returns a remark for the operator if ChatML replaces the model's own chat template; undefined if that template works.
 */
export async function templateRemark(model: Pick<NativeModel, 'checkTemplate'>): Promise<string | undefined> {
  const words = (await model.checkTemplate()).replace(/\s+/g, ' ')
  const problem = printableLine(words.slice(0, mostProblemLength))
  if (problem === '') return undefined
  return `the model's chat template is broken (${problem}), so chats use ChatML, which may suit the model badly`
}

/** Returns the memory of a context with its model, and of other holders, by pool. */
export function memoryOf(
  holders: readonly { memoryBreakdown(): readonly NativeMemory[] }[],
  poolOf: (device: number) => PoolId,
): MemoryBreakdown {
  const pools: Record<PoolId, MemoryParts> = {}
  const memory = holders.flatMap((holder) => holder.memoryBreakdown())
  for (const { device, modelBytes, contextBytes, computeBytes } of memory) {
    const pool = poolOf(device)
    const before = pools[pool]
    pools[pool] = {
      modelBytes: modelBytes + (before?.modelBytes ?? 0),
      contextBytes: contextBytes + (before?.contextBytes ?? 0),
      computeBytes: computeBytes + (before?.computeBytes ?? 0),
    }
  }
  return pools
}

function fail(error: unknown): never {
  throw loadError(error)
}

/** Returns the error. `otherwise` is the code of a failure that is not a lack of memory. */
function loadError(error: unknown, otherwise?: LoadFailure): LoadError {
  const { code = '', message }: { code?: string; message: string } =
    error instanceof Error ? error : { message: String(error) }
  const failure = failures[code] ?? 'other'
  return new LoadError(failure === 'bad-model' && otherwise !== undefined ? otherwise : failure, message, {
    cause: error,
  })
}
