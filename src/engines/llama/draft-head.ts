/**
 * Draft head of a model: a block that proposes tokens (multi-token prediction), in the model's own file or in one with
 * the role `mtp`.
 */
import type { InstalledModel } from '../../core/model.ts'
import { sampledRows } from './context-options.ts'
import { loadModel } from './load-model.ts'
import type { NativeAddon, NativeContextOptions, NativeLoadOptions, NativeModel, NativeModelInfo } from './native.ts'
import { type LlamaPlacement, loadOptions, modelPath } from './placement.ts'
import type { LlamaSettings } from './settings.ts'
import type { DraftLimits } from './steps/drafts/drafts.ts'

/**
 * Tokens proposed at once. Later ones are less often right, and recurrent models need a state per sequence for each.
 */
const draftTokens = 3

interface ModelWithHead {
  readonly model: NativeModel
  /** Options of a context for the head. Empty without one. */
  readonly head: Pick<NativeContextOptions, 'draftHead' | 'draftTokens'>
  /** True if there is a file for a head that cannot be used. */
  readonly isHeadLeftOut: boolean
  /** Frees everything that no context holds. */
  close(): void
}

/**
 * Loads the model, and its draft head if the settings enable it. An unusable head is left out. Throws a `LoadError` in
 * llama.cpp's words.
 */
export async function loadModelWithHead(
  addon: NativeAddon,
  { installed, settings, placement }: { installed: InstalledModel; settings: LlamaSettings; placement: LlamaPlacement },
  { noAlloc = false, onProgress }: { noAlloc?: boolean; onProgress?: ((fraction: number) => void) | undefined } = {},
): Promise<ModelWithHead> {
  const { wantsOwn, path } = headWanted(installed, settings)
  const load = (file: string, more: Partial<NativeLoadOptions>) =>
    loadModel(addon, loadOptions(file, placement, { noAlloc, ...more }), onProgress)
  const model = await load(modelPath(installed), { draftHead: wantsOwn })
  if (path === undefined) return withHead(model, model)
  try {
    return withHead(model, await load(path, { draftHead: true }))
  } catch (error) {
    model.close()
    throw error
  }
}

/** Returns the head to load. A separate file takes precedence over a head in the model's file. */
function headWanted({ filePaths }: InstalledModel, { speculative }: LlamaSettings) {
  const path = speculative === 'off' ? undefined : filePaths.mtp
  return { path, wantsOwn: speculative === 'mtp' && path === undefined }
}

function withHead(model: NativeModel, draftHead: NativeModel): ModelWithHead {
  const { hasDraftHead } = draftHead.info
  const close = () => {
    model.close()
    draftHead.close()
  }
  const isHeadLeftOut = !hasDraftHead && draftHead !== model
  if (isHeadLeftOut) draftHead.close()
  return { model, head: hasDraftHead ? { draftHead, draftTokens } : {}, isHeadLeftOut, close }
}

/** Returns the limits of proposals in the steps of a context. */
export function draftLimits(
  { speculative }: Pick<LlamaSettings, 'speculative'>,
  { isRecurrent }: Pick<NativeModelInfo, 'isRecurrent'>,
  options: NativeContextOptions,
): DraftLimits {
  // Recurrent memory cannot undo rejected proposals, except for the states that it keeps for a draft head.
  const mostEach = isRecurrent ? (options.draftTokens ?? 0) : Number.POSITIVE_INFINITY
  const rows = speculative === 'off' || mostEach === 0 ? 0 : sampledRows(options)
  return { rows, mostEach, headTokens: options.draftTokens }
}
