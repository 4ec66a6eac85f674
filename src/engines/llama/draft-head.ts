/** A model's draft head: a block that proposes tokens (multi-token prediction), in the model's own file or in one with the role `mtp`. */
import type { InstalledModel } from '../../core/model.ts'
import { sampledRows } from './context-options.ts'
import { loadModel } from './load-model.ts'
import type { NativeAddon, NativeContextOptions, NativeLoadOptions, NativeModel, NativeModelInfo } from './native.ts'
import { type LlamaPlacement, loadOptions, modelPath } from './placement.ts'
import type { LlamaSettings } from './settings.ts'
import type { DraftLimits } from './steps/drafts/drafts.ts'

/** Tokens that it proposes at once. Each later one is less likely right, and costs recurrent models a state of each sequence. */
const draftTokens = 3

export interface ModelWithHead {
  readonly model: NativeModel
  /** What a context needs to know of the head; empty: there is none. */
  readonly head: Pick<NativeContextOptions, 'draftHead' | 'draftTokens'>
  /** There is a file for a head, which is none that can be used. */
  readonly isHeadLeftOut: boolean
  /** Frees what no context holds. */
  close(): void
}

/**
 * Loads the model, and its draft head where the settings want it. A head that cannot be used is left out. Throws a `LoadError` in
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

/** The head in a file of its own goes before one in the model's. */
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

/** What may be proposed in the steps of a context. */
export function draftLimits(
  { speculative }: Pick<LlamaSettings, 'speculative'>,
  { isRecurrent }: Pick<NativeModelInfo, 'isRecurrent'>,
  options: NativeContextOptions,
): DraftLimits {
  // Recurrent memory cannot forget what was proposed in vain, but for the states that it keeps beside a draft head.
  const mostEach = isRecurrent ? (options.draftTokens ?? 0) : Number.POSITIVE_INFINITY
  const rows = speculative === 'off' || mostEach === 0 ? 0 : sampledRows(options)
  return { rows, mostEach, headTokens: options.draftTokens }
}
