import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { CatalogEntry } from '../../catalog/catalog.ts'
import { statFile, unreadable } from '../../catalog/stat-file.ts'
import { version } from '../../config/config.ts'
import { newId } from '../../core/ids.ts'
import { readSize, sizeText } from '../../core/quantities.ts'
import type { LicenseText } from '../../store/bundle/collect-licenses.ts'
import type { CreatedBundle } from '../../store/bundle/create-bundle.ts'
import { partPath } from '../../store/bundle/layout.ts'
import type { SecretKey } from '../../store/minisign/secret-key.ts'
import { CommandError, type Io, printAnswer, requireFolderToWrite, UsageError } from '../io.ts'
import { configOf, listOption, newCommand, optionText } from '../options.ts'
import { stoppable } from '../stoppable.ts'
import { carriedGpuLibraries } from './gpu-libraries.ts'
import { carriedExecutable } from './own-executable.ts'

export function createCommand(io: Io): Command {
  const command = newCommand('create', 'make a bundle of models and this program; run again, it writes what is missing')
    .argument('[model...]', 'models of this box, by id or alias')
    .requiredOption('--to <folder>', 'where the bundle is made, in inferd-bundle/')
    .option('--key <file>', 'secret key that signs it (bundle keygen); without, it is installed by its sum alone')
    .option('--base <file...>', 'leave out what the box has: its inventory, or the manifest of an earlier bundle')
    .option('--volume-size <size>', 'spread it over disks of this size, in volume-1/, volume-2/ …')
    .option('--executable <file>', 'the program to carry (default: this one, where it is one file)')
    .option('--gpu', "carry NVIDIA's libraries of this box, for boxes with a card and without them")
    .option('--license-text <id=file...>', 'text of a licence that is not known here')
  return command.action(async (names: string[]) => {
    const config = configOf(command, io)
    const { data: dataDir } = config
    const gpu = command.getOptionValue('gpu') === true ? await carriedGpuLibraries(config, io) : undefined
    const volumeBytes = await volumeBytesOption(command)
    const texts = await licenseTexts(command)
    const entries = await modelsNamed(names, dataDir)
    const key = await secretKeyOption(command, io)
    const { createBundle } = await import('../../store/bundle/create-bundle.ts')
    const { modelSource } = await import('../../store/bundle/bundle-sources.ts')
    const { collectLicenses } = await import('../../store/bundle/collect-licenses.ts')
    const { readBase } = await import('../../store/bundle/inventory.ts')
    const base = listOption(command, 'base').flatMap(readBase)
    const executable = executableOption(command) ?? carriedExecutable()
    if (entries.length === 0 && executable === undefined && gpu === undefined)
      throw new UsageError('there is nothing to carry: name a model of this box, or a program by --executable')
    const to = optionText(command, 'to') ?? ''
    requireFolderToWrite(resolve(to))
    const { showProgress } = await import('./show-progress.ts')
    const stopped = 'stopped; what was written is kept: run the same command again to go on'
    const { created, licenses } = await stoppable(stopped, async (signal) => {
      using progress = showProgress(command, io, 'create')
      const models = []
      for (const entry of entries) models.push(await modelSource(entry, dataDir, signal))
      const licenses = await collectLicenses(models, texts, [
        ...(await programLicense(command, dataDir)),
        ...(gpu?.licenses ?? []),
      ])
      const given = { models, libraries: gpu?.libraries, licenses, executable, to, base, key, volumeBytes }
      const made = { version, newId, nowMs: Date.now(), onBytes: progress.show, signal }
      return { licenses, created: await createBundle({ ...given, ...made }) }
    })
    const references = licenses.texts.filter(({ isReference }) => isReference).map(({ id }) => id)
    const answer = { ...toJson(created), licenseTextsMissing: references }
    printAnswer(command, io, answer, () => report(created, references))
  })
}

/** Returns the models with these names, except those whose files the program itself carries. */
async function modelsNamed(names: readonly string[], dataDir: string): Promise<CatalogEntry[]> {
  const { openCatalog } = await import('../../catalog/open-catalog.ts')
  const catalog = openCatalog(dataDir)
  const entries = names.map((name) => {
    const entry = catalog.resolve(name)?.entry
    if (entry === undefined) throw new CommandError(`there is no model ${name}; 'inferd list' shows those there are`)
    return entry
  })
  const isCarried = ({ manifest: { id, files } }: CatalogEntry) =>
    catalog.operatorManifest(id) === undefined && files.every(({ path }) => path !== undefined)
  return [...new Map(entries.map((entry) => [entry.manifest.id, entry])).values()].filter((entry) => !isCarried(entry))
}

async function secretKeyOption(command: Command, io: Io): Promise<SecretKey | undefined> {
  const file = optionText(command, 'key')
  if (file === undefined) return undefined
  const { readSecretKey } = await import('../../store/minisign/secret-key.ts')
  const { MinisignError } = await import('../../store/minisign/text.ts')
  try {
    return await readSecretKey(file, () => io.ask(`Password of ${file}: `, { isHidden: true }))
  } catch (error) {
    throw error instanceof MinisignError ? new CommandError(`${file} ${error.message}`) : error
  }
}

async function volumeBytesOption(command: Command): Promise<number | undefined> {
  const text = optionText(command, 'volumeSize')
  if (text === undefined) return undefined
  const { minimumVolumeBytes } = await import('../../store/bundle/plan-volumes.ts')
  const bytes = readSize(text)
  if (bytes !== undefined && bytes >= minimumVolumeBytes) return bytes
  throw new UsageError(`--volume-size must be a size of at least ${minimumVolumeBytes / 2 ** 20} MiB, such as 32GB`)
}

async function licenseTexts(command: Command): Promise<Map<string, string>> {
  const { shippedLicenses } = await import('../../catalog/open-catalog.ts')
  const texts = new Map(Object.entries(shippedLicenses))
  for (const given of listOption(command, 'licenseText')) {
    const [, id, file] = /^([^=]+)=(.+)$/.exec(given) ?? []
    if (id === undefined || file === undefined) throw new UsageError(`--license-text must be ID=FILE, not "${given}"`)
    texts.set(id.toLowerCase(), readText(file))
  }
  return texts
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new CommandError(`${path} ${unreadable(error).message}`)
  }
}

function executableOption(command: Command): string | undefined {
  const path = optionText(command, 'executable')
  if (path === undefined) return undefined
  const found = statFile(path)
  if (found instanceof Error) throw new CommandError(`${path} ${found.message}`)
  if (found?.isFile() === true) return path
  throw new CommandError(
    `${path} ${found === undefined ? 'is not there' : 'is not a file'}; --executable names a program`,
  )
}

function toJson({ manifest, manifestSha256, folders, writtenBytes, keptBytes }: CreatedBundle): object {
  return {
    bundle: manifest.bundle,
    serial: manifest.serial,
    publicKey: manifest.publicKey ?? null,
    manifestSha256,
    folders,
    writtenBytes,
    keptBytes,
    models: manifest.models.map(({ id }) => id),
    libraries: (manifest.libraries ?? []).map(({ name }) => name),
    executable: manifest.executable?.sha256 ?? null,
  }
}

/**
 * Returns the licences of the program and all its parts; none if the bundle leaves out the program or includes another
 * one.
 */
async function programLicense(command: Command, dataDir: string): Promise<LicenseText[]> {
  if (optionText(command, 'executable') !== undefined || carriedExecutable() === undefined) return []
  const { embeddedFilePath, runtimePaths } = await import('../../engines/runtime/runtime-paths.ts')
  await runtimePaths(dataDir)
  const path = embeddedFilePath(dataDir, 'LICENSES.txt')
  return path === undefined ? [] : [{ name: 'inferd', id: 'MIT', text: readFileSync(path, 'utf8'), isReference: false }]
}

function report(
  { manifest, manifestSha256, folders, writtenBytes, keptBytes }: CreatedBundle,
  references: string[],
): string {
  const { publicKey, executable, bundle, serial } = manifest
  const trust =
    publicKey === undefined
      ? `Unsigned: the box takes it by its sum alone, --unsigned ${manifestSha256}`
      : `Signed by ${publicKey}`
  const program = executable === undefined ? 'without a program' : 'with a program'
  const part = executable && partPath(executable.sha256, 0)
  return [
    `Bundle ${bundle}, serial ${serial}: ${manifest.models.length} models, ${program}`,
    ...folders.map((folder) => `  Folder     ${folder}`),
    `  Written    ${sizeText(writtenBytes)}; ${sizeText(keptBytes)} were there`,
    `  ${trust}`,
    ...(part === undefined ? [] : [`  Program    ${part}`]),
    ...(manifest.libraries === undefined ? [] : [`  GPU        ${manifest.libraries.length} libraries of NVIDIA`]),
    ...references.map(
      (id) => `  Licence    the text of ${id} is not part of it; add it with --license-text ${id}=FILE`,
    ),
    'Carry the folder as it is. On the box: inferd bundle install FOLDER',
    '',
  ].join('\n')
}
