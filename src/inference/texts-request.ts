import { ApiError } from '../core/errors.ts'
import type { ModelManifest } from '../core/model.ts'
import type { EmbedRequest } from '../core/texts.ts'
import type { Work } from '../core/work.ts'

/** Throws ApiError 400 for what the manifest alone tells that the model cannot do. Engines know the rest. */
export function requireEmbeddable(
  { kind, request }: Work<'embed' | 'rerank'>,
  manifest: Pick<ModelManifest, 'id' | 'dimensions' | 'contextLength'>,
): void {
  if (kind !== 'embed') return
  requireDimensions(request, manifest)
  requireShortTokenArrays(request, manifest)
}

function requireDimensions({ dimensions }: EmbedRequest, manifest: Pick<ModelManifest, 'id' | 'dimensions'>): void {
  const native = manifest.dimensions
  if (dimensions === undefined || native === undefined || dimensions <= native) return
  const message = `'dimensions' must be at most ${native}: the vectors of model '${manifest.id}' have no more.`
  throw new ApiError('invalid_request', message, { code: 'invalid_value', param: 'dimensions' })
}

/** A body has room for millions of token ids; handing them to an engine that refuses them takes long. */
function requireShortTokenArrays(
  { inputs }: EmbedRequest,
  { id, contextLength }: Pick<ModelManifest, 'id' | 'contextLength'>,
): void {
  if (contextLength === undefined) return
  for (const [index, input] of inputs.entries()) {
    if (typeof input === 'string' || input.length <= contextLength) continue
    const message = `'input[${index}]' has ${input.length} tokens and model '${id}' takes ${contextLength}. Split it.`
    throw new ApiError('invalid_request', message, {
      code: 'context_length_exceeded',
      param: `input[${index}]`,
      length: { promptTokens: input.length, limitTokens: contextLength },
    })
  }
}
