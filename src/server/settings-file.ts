/** The settings file of a running server: what it says now, and changes of single keys from the operator's pages. */
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openCatalog } from '../catalog/open-catalog.ts'
import { type Config, loadConfig } from '../config/config.ts'
import { editToml, type TomlChange } from '../config/edit-toml.ts'
import type { ConfigSources } from '../config/sources.ts'
import { errorText } from '../core/error-text.ts'
import { OperationError } from '../operations/problem.ts'
import type { SettingsFile } from '../operations/running-server.ts'
import { type Disk, realDisk } from '../store/disk.ts'
import { prepareFile, renameDurably } from '../store/durable.ts'
import { priceEdits, settingEdit } from './setting-edits.ts'
import { modelToPreload, requireRightOverrides } from './start-conditions.ts'

interface SettingsFileOptions {
  /** Settings in force. */
  readonly config: Config
  /** Flags and environment of this server. */
  readonly sources: ConfigSources
  readonly disk?: Disk
}

/** Returns the settings file. Changes happen one after the other. */
export function settingsFile({ config, sources, disk = realDisk }: SettingsFileOptions): SettingsFile {
  const path = config.file ?? join(config.data, 'config.toml')
  const read = () => (existsSync(path) ? readFileSync(path, 'utf8') : '')
  let changing: Promise<unknown> = Promise.resolve()

  async function change(changes: readonly TomlChange[], version: string | undefined): Promise<string> {
    const text = read()
    if (version !== undefined && version !== versionOf(text))
      throw new OperationError({ code: 'settings_changed', path })
    const edited = refusing(path, () => editToml(text, changes))
    refusing(path, () => checked({ ...sources, fileText: edited }))
    if (edited !== text) {
      await replaceFile(path, edited, { disk, isSame: () => read() === text }).catch((error: unknown) => {
        throw error instanceof OperationError ? error : refusal(path, error)
      })
    }
    return versionOf(edited)
  }

  const inOrder = (changes: readonly TomlChange[], version: string | undefined) => {
    const done = changing.then(() => change(changes, version))
    changing = done.catch(() => undefined)
    return done
  }

  return {
    path,
    version: () => versionOf(read()),
    next: () => {
      try {
        return loadConfig(sources)
      } catch (error) {
        return errorText(error)
      }
    },
    setSettings: async (texts, version) =>
      inOrder(
        Object.entries(texts).map(([name, text]) => settingEdit(name, text, path)),
        version,
      ),
    setPrices: async (model, texts, version) => inOrder(priceEdits(model, texts), version),
  }
}

/** Returns the settings, checked as at a start. Throws ConfigError or StartError. */
function checked(sources: ConfigSources): Config {
  const config = loadConfig(sources)
  const catalog = openCatalog(config.data, { overrides: { prices: config.prices, settings: config.models } })
  requireRightOverrides(catalog, config.file)
  for (const id of config.preload) modelToPreload(catalog, id)
  return config
}

/** Replaces a file with its mode and owner kept. Throws OperationError if somebody else changed it meanwhile. */
async function replaceFile(
  path: string,
  text: string,
  { disk, isSame }: { readonly disk: Disk; readonly isSame: () => boolean },
): Promise<void> {
  // A link stays a link.
  const target = existsSync(path) ? realpathSync(path) : path
  const made = await prepareFile(target, text, disk)
  const found = statSync(target, { throwIfNoEntry: false })
  if (found !== undefined) {
    const own = statSync(made)
    if (own.uid !== found.uid || own.gid !== found.gid) chownSync(made, found.uid, found.gid)
    chmodSync(made, found.mode & 0o7777)
  }
  if (!isSame()) {
    await disk.remove(made)
    throw new OperationError({ code: 'settings_changed', path })
  }
  await renameDurably(made, target, disk)
}

function versionOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/** Runs work whose errors are the reason of a refusal. */
function refusing<Result>(path: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw refusal(path, error)
  }
}

function refusal(path: string, error: unknown): OperationError {
  const reason = errorText(error)
  return new OperationError({ code: 'settings_refused', path, reason: reason.replace(`${path}: `, '') })
}
