import { basename } from 'node:path'
import { filesProblem } from '../../catalog/check-files.ts'
import { isModelId } from '../../catalog/manifest-schema.ts'
import { importedManifestPath } from '../../catalog/operator-manifests.ts'
import type { ModelFile, ModelManifest } from '../../core/model.ts'
import { PlanError } from './plan-files.ts'
import type { SourceContext } from './source.ts'

/**
 * Returns the manifest of a GGUF model given by an address. The catalog's data of its id is kept: prices, aliases and
 * the like. Throws PlanError without an id, or if a model already has it.
 */
export function newModel(files: readonly ModelFile[], { id, catalog, isForced }: SourceContext): ModelManifest {
  if (id === undefined)
    throw new PlanError('this is no model of the catalog: give it an id of your own, such as org/name', '--id')
  const problem = filesProblem(files)
  if (problem !== undefined) throw new PlanError(problem)
  const known = catalog.resolve(id)
  if (known !== undefined && known.entry.manifest.id !== id)
    throw new PlanError(`"${id}" is an alias of ${known.entry.manifest.id}; choose another id`)
  if (!isModelId(id)) throw new PlanError(`an id must be <org>/<name> of letters, digits and ._-, not "${id}"`)
  if (known !== undefined && known.entry.status.kind === 'ready' && !isForced)
    throw new PlanError(`there is a model ${id} already; choose another id`, '--force to take its place')
  // If two manifests have the same id, the catalog takes the first by name. A pull must not decide that.
  const described = catalog.operatorManifest(id)
  if (described !== undefined && basename(described) !== basename(importedManifestPath('', id)))
    throw new PlanError(`${described} describes ${id}; give the address there, or choose another id`)
  const old = known?.entry.manifest
  return {
    aliases: [],
    capabilities: {},
    defaults: {},
    ...old,
    id,
    type: files.some(({ role }) => role === 'mmproj') ? 'vision' : 'chat',
    engine: 'llama',
    encoder: undefined,
    dimensions: undefined,
    settings: old?.engine === 'llama' ? old.settings : undefined,
    files,
  }
}
