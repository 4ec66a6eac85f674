import type { Command } from 'commander'
import type { Catalog } from '../catalog/catalog.ts'
import type { ModelType } from '../core/model.ts'
import { suggestion } from '../core/nearest.ts'
import { CommandError, type Io } from './io.ts'
import { configOf, optionText } from './options.ts'

/**
 * Returns the model of `--model`. Defaults to one of the type that is on this disk, and prefers others to the small one
 * that is always there. Throws CommandError if there is none.
 */
export async function modelOption(command: Command, io: Io, type: ModelType): Promise<string> {
  const catalog = await catalogOf(command, io)
  const named = optionText(command, 'model')
  if (named !== undefined) {
    requireIn(catalog, named)
    return named
  }
  const ids = catalog
    .entries()
    .filter(({ manifest, status }) => manifest.type === type && status.kind === 'ready')
    .map(({ manifest }) => manifest.id)
  const chosen = ids.find((id) => !id.startsWith('inferd/starter-')) ?? ids[0]
  if (chosen === undefined) throw new CommandError(`there is no model of type ${type} here; 'inferd list' shows all`)
  return chosen
}

/** Returns the id of a model. Throws CommandError, with the next step, if it is unknown or not on this disk. */
export async function requireModel(command: Command, io: Io, name: string): Promise<string> {
  return requireIn(await catalogOf(command, io), name)
}

async function catalogOf(command: Command, io: Io): Promise<Catalog> {
  const { openCatalog } = await import('../catalog/open-catalog.ts')
  return openCatalog(configOf(command, io).data)
}

function requireIn(catalog: Catalog, name: string): string {
  const found = catalog.resolve(name)
  if (found === undefined) {
    const ids = catalog.entries().map(({ manifest }) => manifest.id)
    throw new CommandError(`there is no model ${name}${suggestion(name, ids)}; 'inferd list' shows all`)
  }
  const { status, manifest } = found.entry
  if (status.kind !== 'available') return manifest.id
  throw new CommandError(`${name} is not on this disk; 'inferd pull ${manifest.id}' downloads it`)
}
