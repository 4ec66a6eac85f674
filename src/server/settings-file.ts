/** The settings file of a running server: what it says now, and changes of single keys from the operator's pages. */
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalog } from '../catalog/catalog.ts'
import { type Config, loadConfig } from '../config/config.ts'
import { editToml, type TomlChange } from '../config/edit-toml.ts'
import type { ConfigSources } from '../config/sources.ts'
import { errorText } from '../core/error-text.ts'
import { OperationError } from '../operations/problem.ts'
import type { SettingsFile } from '../operations/running-server.ts'
import type { Stores } from '../operations/stores.ts'
import { type Disk, realDisk } from '../store/disk.ts'
import { prepareFile, renameDurably, temporaryPath } from '../store/durable.ts'
import { modelSettingEdits } from './model-settings.ts'
import { checkedConfig, requireMailPassword } from './next-start.ts'
import { priceEdits, settingEdit } from './setting-edits.ts'

interface SettingsFileOptions {
  /** Settings in force. */
  readonly config: Config
  /** Flags and environment of this server. */
  readonly sources: ConfigSources
  readonly stores: Pick<Stores, 'accounts' | 'keys'>
  /** Catalog of the server, and one with the manifests' own prices and settings. */
  readonly catalog: Pick<Catalog, 'override'>
  readonly plain: Catalog
  readonly disk?: Disk
}

/** Returns the settings file. Changes happen one after the other. */
export function settingsFile({
  config,
  sources,
  stores,
  catalog,
  plain,
  disk = realDisk,
}: SettingsFileOptions): SettingsFile {
  const path = config.file ?? join(config.data, 'config.toml')
  const read = () => (existsSync(path) ? readFileSync(path, 'utf8') : '')
  let changing: Promise<unknown> = Promise.resolve()
  /** Returns the settings that a start reads from this text, or from the file, or the reason why it would fail. */
  const configOf = (fileText: string | undefined) => {
    try {
      return loadConfig({ ...sources, fileText })
    } catch (error) {
      return errorText(error)
    }
  }

  async function change(
    changes: () => readonly TomlChange[],
    version: string | undefined,
    texts: Readonly<Record<string, string | undefined>> = {},
  ): Promise<string> {
    const text = refusing(path, read)
    if (version !== undefined && version !== versionOf(text))
      throw new OperationError({ code: 'settings_changed', path })
    const edited = refusing(path, () => editToml(text, changes()))
    const next = refusing(path, () => checkedConfig({ ...sources, fileText: edited }, { now: config, stores }))
    const before = configOf(text)
    requireMailPassword(typeof before === 'string' ? config : before, next, texts)
    if (edited !== text) {
      await replaceFile(path, edited, { disk, isSame: () => read() === text }).catch((error: unknown) => {
        throw error instanceof OperationError ? error : refusal(path, error)
      })
    }
    return versionOf(edited)
  }

  const inOrder = (...[changes, version, texts]: Parameters<typeof change>) => {
    const done = changing.then(() => change(changes, version, texts))
    changing = done.catch(() => undefined)
    return done
  }

  /** Writes prices and settings of models, which are then in force. */
  const ofModels = async (changes: () => readonly TomlChange[], version: string | undefined) => {
    const written = await inOrder(changes, version)
    const next = configOf(undefined)
    if (typeof next !== 'string') catalog.override({ prices: next.prices, settings: next.models })
    return written
  }

  return {
    path,
    version: () => versionOf(read()),
    next: () => configOf(undefined),
    setSettings: async (texts, version) =>
      inOrder(() => Object.entries(texts).map(([name, text]) => settingEdit(name, text, path)), version, texts),
    setPrices: (model, texts, version) => ofModels(() => priceEdits(model, texts), version),
    setModelSettings: (model, texts, version) =>
      ofModels(() => {
        const current = configOf(undefined)
        const own = typeof current === 'string' ? undefined : current.models.get(model)
        return modelSettingEdits(plain, model, { texts, own })
      }, version),
  }
}

/** Replaces a file with its mode and owner kept. Throws OperationError if somebody else changed it meanwhile. */
async function replaceFile(
  path: string,
  text: string,
  { disk, isSame }: { readonly disk: Disk; readonly isSame: () => boolean },
): Promise<void> {
  // A link stays a link.
  const target = existsSync(path) ? realpathSync(path) : path
  const found = statSync(target, { throwIfNoEntry: false })
  if (found !== undefined && (found.mode & 0o222) === 0) throw new Error('it is read-only; chmod u+w allows changes')
  try {
    const made = await prepareFile(target, text, disk)
    if (found !== undefined) {
      const own = statSync(made)
      if (own.uid !== found.uid || own.gid !== found.gid) chownSync(made, found.uid, found.gid)
      chmodSync(made, found.mode & 0o7777)
    }
    if (!isSame()) throw new OperationError({ code: 'settings_changed', path })
    await renameDurably(made, target, disk)
  } catch (error) {
    // It may hold secrets.
    await disk.remove(temporaryPath(target)).catch(() => undefined)
    throw error
  }
}

function versionOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/** Runs work whose errors are the reason of a refusal. */
function refusing<Result>(path: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw error instanceof OperationError ? error : refusal(path, error)
  }
}

function refusal(path: string, error: unknown): OperationError {
  const reason = errorText(error)
  return new OperationError({ code: 'settings_refused', path, reason: reason.replace(`${path}: `, '') })
}
