/** Limits of the number of texts in a request: the operator's, and the largest that operators can set. */
import { ApiError } from '../core/errors.ts'
import type { ModelManifest } from '../core/model.ts'
import { type EmbedRequest, type RerankRequest, requestTexts, type TextLimits } from '../core/texts.ts'
import { limits } from './limits.ts'

/** Throws ApiError 413 `too_many_inputs` beyond the operator's limit. `param` is the client's name of the texts. */
export function requireFewInputs(
  { request: { inputs } }: { readonly request: EmbedRequest },
  _: ModelManifest,
  { embeddingInputs }: TextLimits,
  param = 'input',
): void {
  requireInputCount(inputs.length, param, embeddingInputs)
}

/** Throws ApiError 400 `too_many_documents` beyond the operator's limit. */
export function requireFewDocuments(
  { request: { documents } }: { readonly request: RerankRequest },
  _: ModelManifest,
  { rerankDocuments }: TextLimits,
): void {
  requireDocumentCount(documents.length, rerankDocuments)
}

/**
 * Throws ApiError 413 `too_many_inputs`. `most` defaults to the largest limit that operators can set, which is
 * checked before any text is read.
 */
export function requireInputCount(
  count: number,
  param: string,
  most: number = requestTexts.embeddingInputs.most,
): void {
  const { code, setting } = limits.embeddingInputs
  if (count > most)
    throw new ApiError('payload_too_large', words({ things: 'texts', param, count, most, setting }), { code, param })
}

/**
 * Throws ApiError 400 `too_many_documents`. `most` defaults to the largest limit that operators can set, which is
 * checked before any document is read.
 */
export function requireDocumentCount(count: number, most: number = requestTexts.rerankDocuments.most): void {
  const { code, setting } = limits.rerankDocuments
  const param = 'documents'
  if (count > most)
    throw new ApiError('invalid_request', words({ things: 'entries', param, count, most, setting }), { code, param })
}

interface Count {
  readonly things: 'texts' | 'entries'
  readonly param: string
  readonly count: number
  readonly most: number
  readonly setting: string
}

function words({ things, param, count, most, setting }: Count): string {
  const advice = `Send the others in another one, or have the operator raise the setting '${setting}'.`
  return `'${param}' has ${count} ${things}, and a request may have ${most}. ${advice}`
}
