import type { ResolvedModel } from '../catalog/catalog.ts'
import { kindsOfWork } from '../core/work.ts'
import { findModelBySpelling, requireType } from '../inference/resolve-model.ts'
import type { BodyReader } from '../wire/dialect.ts'
import type { Exchange } from './services.ts'

/**
 * Returns the model that a request names, of a type that does this work. Programs that find models by Ollama's API name
 * them so below v1 too. Throws ApiError 400 or 404.
 */
export function findServed(
  { observer, services }: Exchange<'catalog'>,
  modelId: string,
  { kind, endpoint }: Pick<BodyReader<unknown>, 'kind' | 'endpoint'>,
): ResolvedModel {
  const resolved = findModelBySpelling(services.catalog, modelId)
  observer.model = resolved.entry.manifest.id
  requireType(resolved, kindsOfWork[kind].modelTypes, endpoint)
  return resolved
}
