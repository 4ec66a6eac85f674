import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import type { Catalog } from '../catalog/catalog.ts'
import type { ImportedModel } from '../catalog/import-gguf.ts'
import type { ModelManifest } from '../core/model.ts'
import { checkFolderOwner } from '../db/folder-owner.ts'
import { createDataFolder } from '../db/private-file.ts'
import { CommandError, type Io, printAnswer, UsageError } from './io.ts'
import { configOf, newCommand } from './options.ts'

interface Wanted {
  readonly id: string
  readonly aliases: readonly string[]
}

interface AliasTaken {
  readonly alias: string
  /** Id of the model that it meant before. */
  readonly from: string
}

export function importCommand(io: Io): Command {
  const command = newCommand('import', 'add a GGUF file from this disk as a model')
    .argument('<file>', 'the GGUF file; of a split model its first part')
    .requiredOption('--id <org/name>', "the model's id")
    .option('--alias <id...>', 'further ids that requests may use')
    .option('--in-place', 'use the file where it lies instead of linking or copying it into the data folder')
    .option('--force', 'take the place of a model with the same id')
  return command.action(async (file: string) => {
    const { data: dataDir, prices } = configOf(command, io)
    const { id, aliases } = await checkedNames(command)
    checkFolderOwner(dataDir)
    if (existsSync(dataDir)) createDataFolder(dataDir)
    const { openCatalog } = await import('../catalog/open-catalog.ts')
    const catalog = openCatalog(dataDir)
    const isForced = command.getOptionValue('force') === true
    const known = await knownModel(catalog, { dataDir, id, aliases, isForced })
    const aliasesTaken = takenFromOthers(catalog, { id, aliases })
    const { importGguf } = await import('../catalog/import-gguf.ts')
    const isInPlace = command.getOptionValue('inPlace') === true
    const imported = await importGguf({ file, id, dataDir, isInPlace, known, aliases })
    requireReady(catalog, id)
    const isPriced = known?.pricing !== undefined || prices.has(id)
    const answer = { ...toJson(id, imported), priced: isPriced, aliasesTaken }
    printAnswer(command, io, answer, () => report(id, imported, { aliasesTaken, isPriced }))
  })
}

async function checkedNames(command: Command): Promise<{ id: string; aliases: string[] }> {
  const { aliasPattern, modelIdPattern } = await import('../catalog/manifest-schema.ts')
  const id = String(command.getOptionValue('id'))
  if (!new RegExp(modelIdPattern).test(id) || id.length > 200) {
    throw new UsageError(`--id must be <org>/<name> of letters, digits and ._-, not "${id}"`)
  }
  const given: unknown = command.getOptionValue('alias')
  const aliases = Array.isArray(given) ? given.map(String) : []
  const wrong = aliases.find((alias) => !new RegExp(aliasPattern).test(alias) || alias.length > 200)
  if (wrong !== undefined) throw new UsageError(`--alias must be of letters, digits and ._:/@-, not "${wrong}"`)
  return { id, aliases }
}

/** The catalog's model of that id, whose prices and the like stay. Throws when an import cannot or must not replace it. */
async function knownModel(
  catalog: Catalog,
  wanted: Wanted & { readonly dataDir: string; readonly isForced: boolean },
): Promise<ModelManifest | undefined> {
  const taken = wanted.aliases.find((alias) => catalog.isTaken(alias, wanted.id))
  if (taken !== undefined) throw new CommandError(`"${taken}" already names another model; choose another alias`)
  const found = catalog.resolve(wanted.id)
  if (found === undefined) return undefined
  const { manifest, status } = found.entry
  if (found.alias !== undefined) {
    throw new CommandError(`"${wanted.id}" is an alias of ${manifest.id}; choose another id`)
  }
  const described = catalog.operatorManifest(wanted.id)
  const { importedManifestPath } = await import('../catalog/import-gguf.ts')
  // Of two manifests with one id the catalog takes the first by name: not this import's matter to decide.
  if (described !== undefined && described !== importedManifestPath(wanted.dataDir, wanted.id)) {
    throw new CommandError(
      `${described} describes ${wanted.id}; name the file there, or remove it, or choose another id`,
    )
  }
  // A model that is in the catalog but not on this disk is waiting for exactly this file.
  if (status.kind !== 'available' && status.kind !== 'downloading' && !wanted.isForced) {
    throw new CommandError(`there is a model ${wanted.id} already; choose another id, or --force to take its place`)
  }
  return manifest
}

/** An operator's alias wins over the shipped catalog's. That is allowed, and said, so that it surprises no client. */
function takenFromOthers(catalog: Catalog, { id, aliases }: Wanted): AliasTaken[] {
  return aliases.flatMap((alias) => {
    const from = catalog.resolve(alias)?.entry.manifest.id
    return from === undefined || from === id ? [] : [{ alias, from }]
  })
}

/** Throws when the server, which checks models in the same way, could not serve what was imported. */
function requireReady(catalog: Catalog, id: string): void {
  const status = catalog.resolve(id)?.entry.status
  if (status?.kind === 'ready') return
  const reason = status?.kind === 'broken' ? status.reason : 'its manifest or its file is gone'
  throw new CommandError(`${id} was imported but cannot be served: ${reason}; 'inferd list' shows more`)
}

const howToPrice = `none: only unmetered accounts may use it. Add to the manifest, in USD (0 is free for all):
             [pricing]
             input = 0.10
             output = 0.40
             unit = "1M_tokens"`

function toJson(id: string, { header, path, manifestPath, placement }: ImportedModel): object {
  return {
    id,
    path,
    manifest: manifestPath,
    placement,
    architecture: header.architecture,
    context: header.contextLength ?? null,
    parameters: header.parameterCount,
    vocabulary: header.vocabularySize ?? null,
    chatTemplate: header.hasChatTemplate,
  }
}

function report(
  id: string,
  { header, path, manifestPath, placement }: ImportedModel,
  { aliasesTaken, isPriced }: { readonly aliasesTaken: readonly AliasTaken[]; readonly isPriced: boolean },
): string {
  const millions = (header.parameterCount / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })
  const how = { 'in-place': 'used where it lies', linked: 'hard-linked: do not edit the original', copied: 'copied' }[
    placement
  ]
  return [
    `${id} is ready: ${header.architecture}, ${millions} million parameters, context ${header.contextLength ?? 'unknown'}.`,
    `  File       ${path} (${how})`,
    `  Manifest   ${manifestPath} (edit it for prices, aliases and defaults)`,
    ...(isPriced ? [] : [`  Price      ${howToPrice}`]),
    ...aliasesTaken.map(({ alias, from }) => `  Alias      ${alias} now means this model, no longer ${from}`),
    ...(header.hasChatTemplate ? [] : ['  Note       the file has no chat template, so chat answers may be poor']),
    `Ask for "model": "${id}" now; a running server knows it already, and loads it again if it had it loaded before.`,
    '',
  ].join('\n')
}
