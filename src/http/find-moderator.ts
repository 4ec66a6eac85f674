import type { ResolvedModel } from '../catalog/catalog.ts'
import { ApiError } from '../core/errors.ts'
import { findModelBySpelling } from '../inference/resolve-model.ts'
import type { HttpServices } from './services.ts'

/** OpenAI's names of models for moderations, which clients send by default. Here they mean the operator's model. */
const usualNames = /^(omni|text)-moderation-/

/**
 * Returns the model that moderates for a request: one of type moderation that it names, else the operator's. Clients
 * cannot choose another chat model, since its verdicts would count as the operator's. Throws ApiError 404 if the
 * operator names no model or there is none of that name, and 400 for another model.
 */
export function findModerator(
  modelId: string | undefined,
  { catalog, config: { moderationModel } }: Pick<HttpServices, 'catalog' | 'config'>,
): ResolvedModel {
  const named = modelId === undefined ? undefined : catalog.resolve(modelId)
  if (named?.entry.manifest.type === 'moderation') return named
  if (moderationModel === undefined) {
    const message =
      'No model judges contents here. The operator of this server can name a chat model by the setting moderation-model.'
    throw new ApiError('not_found', message, { code: 'not_supported' })
  }
  const moderator = findModelBySpelling(catalog, moderationModel)
  if (modelId === undefined || (usualNames.test(modelId) && named === undefined)) return moderator
  const wanted = findModelBySpelling(catalog, modelId)
  if (wanted.entry.manifest.id === moderator.entry.manifest.id) return wanted
  const message = `Model '${wanted.entry.manifest.id}' judges no contents here. Leave 'model' out, or name '${moderationModel}'.`
  throw new ApiError('invalid_request', message, { code: 'invalid_value', param: 'model' })
}
