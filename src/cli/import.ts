import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import type { Catalog } from '../catalog/catalog.ts'
import { type ModelManifest, type ModelType, modelTypes } from '../core/model.ts'
import { checkFolderOwner } from '../db/folder-owner.ts'
import { createDataFolder } from '../db/private-file.ts'
import type { ImportOptions } from '../store/import/import-model.ts'
import { requireReady } from './find-model.ts'
import { type AliasTaken, importedToJson, importReport, printedManifest } from './import-report.ts'
import { CommandError, type Io, printAnswer, UsageError } from './io.ts'
import { configOf, listOption, newCommand, optionText } from './options.ts'
import { showRead } from './show-read.ts'
import { stoppable } from './stoppable.ts'

interface Wanted {
  readonly id: string
  readonly aliases: readonly string[]
}

export function importCommand(io: Io): Command {
  const command = newCommand('import', 'add a model from files of this disk')
    .argument(
      '[path]',
      'a GGUF file, an ONNX or sherpa-onnx folder, a .tar, .tar.gz or .tar.bz2 of one, a hub snapshot',
    )
    .option('--id <org/name>', "the model's id")
    .option('--alias <id...>', 'further ids that requests may use')
    .option('--mmproj <file>', 'the projector of a GGUF file: the model sees or hears')
    .option('--mtp <file>', 'the draft head of a GGUF file')
    .option('--type <type>', 'what the model is, where its files leave it open: embedding, rerank, stt, tts')
    .option('--manifest <file>', 'a manifest that says what the files are')
    .option('--ollama <name>', "a model of Ollama's store; path is the store, if it lies elsewhere than usual")
    .option('--print', 'print the manifest and import nothing')
    .option('--in-place', 'use the files where they lie instead of linking or copying them into the data folder')
    .option('--force', 'take the place of a model with the same id')
  return command.action(async (path: string | undefined) => {
    const config = configOf(command, io)
    const { data: dataDir, prices } = config
    const manifest = await ownManifest(command)
    const { id, aliases } = await checkedNames(command, manifest)
    const files = await givenFiles(command, io, path)
    checkFolderOwner(dataDir)
    if (existsSync(dataDir)) createDataFolder(dataDir)
    const { openCatalog } = await import('../catalog/open-catalog.ts')
    const catalog = openCatalog(dataDir)
    const isForced = command.getOptionValue('force') === true
    const isTrial = command.getOptionValue('print') === true
    const known = isTrial
      ? catalog.resolve(id)?.entry.manifest
      : await knownModel(catalog, { dataDir, id, aliases, isForced })
    const aliasesTaken = takenFromOthers(catalog, { id, aliases })
    const { importModel } = await import('../store/import/import-model.ts')
    const isInPlace = command.getOptionValue('inPlace') === true
    const request = {
      ...files,
      id,
      dataDir,
      isInPlace,
      known,
      aliases,
      manifest,
      isTrial,
      type: await givenType(command),
    }
    const imported = await stoppable('stopped; nothing was imported', async (signal) => {
      using progress = showRead(io, id)
      const { importProbe } = await import('../server/import-probe.ts')
      const probe = importProbe(config, signal)
      return importModel({ ...request, probe, signal, onBytes: progress.show })
    })
    if (isTrial) return printAnswer(command, io, { manifest: imported.toml }, () => printedManifest(imported))
    requireReady(catalog, id, 'imported')
    const isPriced = imported.manifest.pricing !== undefined || prices.has(id)
    const answer = { ...importedToJson(id, imported), priced: isPriced, aliasesTaken }
    printAnswer(command, io, answer, () => importReport(id, imported, { aliasesTaken, isPriced }))
  })
}

async function ownManifest(command: Command): Promise<ModelManifest | undefined> {
  const path = optionText(command, 'manifest')
  if (path === undefined) return undefined
  for (const option of ['mmproj', 'mtp']) {
    if (optionText(command, option) !== undefined)
      throw new UsageError(`--${option} goes without --manifest: the manifest names the file, with role "${option}"`)
  }
  const { readManifestFile } = await import('../catalog/operator-manifests.ts')
  const read = readManifestFile(path)
  if ('problem' in read) throw new CommandError(`${path} is no manifest: ${read.problem}`)
  return read.manifest
}

async function givenFiles(
  command: Command,
  io: Io,
  path: string | undefined,
): Promise<Pick<ImportOptions, 'path' | 'mmproj' | 'mtp' | 'fileName'>> {
  const [mmproj, mtp, name] = ['mmproj', 'mtp', 'ollama'].map((option) => optionText(command, option))
  if (name === undefined) {
    if (path === undefined) throw new UsageError("missing required argument 'path'")
    return { path, mmproj, mtp }
  }
  if (path !== undefined && !existsSync(path)) throw new CommandError(`there is no folder ${path}`)
  const { findInOllama, ollamaFolders } = await import('../store/import/ollama-store.ts')
  const usual = [...(io.environment.OLLAMA_MODELS ? [io.environment.OLLAMA_MODELS] : []), ...ollamaFolders()]
  const folder = path ?? usual.find((each) => existsSync(each))
  if (folder === undefined)
    throw new CommandError(`there is no store of Ollama in ${usual.join(', ')}; name its folder`)
  const found = findInOllama(folder, name)
  return { path: found.model, mmproj: mmproj ?? found.mmproj, mtp, fileName: found.name }
}

async function givenType(command: Command): Promise<ModelType | undefined> {
  const given = optionText(command, 'type')
  const type = modelTypes.find((each) => each === given)
  if (given === undefined || type !== undefined) return type
  throw new UsageError(`--type must be one of ${modelTypes.join(', ')}, not "${given}"`)
}

async function checkedNames(
  command: Command,
  manifest: ModelManifest | undefined,
): Promise<{ id: string; aliases: string[] }> {
  const { aliasPattern, isModelId } = await import('../catalog/manifest-schema.ts')
  const id = optionText(command, 'id') ?? manifest?.id
  if (id === undefined) throw new UsageError("required option '--id <org/name>' not specified")
  if (manifest !== undefined && manifest.id !== id)
    throw new UsageError(`--id is ${id}, but the manifest is of ${manifest.id}`)
  if (!isModelId(id)) {
    throw new UsageError(`--id must be <org>/<name> of letters, digits and ._-, not "${id}"`)
  }
  const aliases = listOption(command, 'alias')
  const wrong = aliases.find((alias) => !new RegExp(aliasPattern).test(alias) || alias.length > 200)
  if (wrong !== undefined) throw new UsageError(`--alias must be of letters, digits and ._:/@-, not "${wrong}"`)
  return { id, aliases }
}

/**
 * Returns the catalog's model of that id, whose prices and other fields are kept. Throws CommandError if an import
 * cannot or must not replace it.
 */
async function knownModel(
  catalog: Catalog,
  wanted: Wanted & { readonly dataDir: string; readonly isForced: boolean },
): Promise<ModelManifest | undefined> {
  const { importPlace } = await import('../library/import-place.ts')
  const place = importPlace(catalog, wanted)
  if (place.kind === 'taken') throw new CommandError(place.reason)
  return place.known
}

/**
 * Returns the aliases that the import takes from the shipped catalog. That is allowed, but reported because clients
 * notice it.
 */
function takenFromOthers(catalog: Catalog, { id, aliases }: Wanted): AliasTaken[] {
  return aliases.flatMap((alias) => {
    const from = catalog.resolve(alias)?.entry.manifest.id
    return from === undefined || from === id ? [] : [{ alias, from }]
  })
}
