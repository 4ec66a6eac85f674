/** Details of one model for its page of the operator's pages. */
import { basename } from 'node:path'
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts'
import { allFiles, modelFolder } from '../catalog/locate-files.ts'
import { FileError } from '../catalog/stat-file.ts'
import type { Config } from '../config/config.ts'
import type { ModelManifest } from '../core/model.ts'
import type { ModelState } from '../core/model-state.ts'
import { asWritten, type SettingRow, type SettingValue, tomlKey, valueName } from '../core/setting.ts'
import { engineTable } from '../engines/engine-table.ts'
import { settingsOf } from '../engines/model-settings.ts'
import { type LockedFile, readLock } from '../store/lock.ts'
import { diskBytes } from './disk-bytes.ts'

interface Known {
  readonly catalog: Catalog
  readonly config: Config
  /** State of the model. Undefined if it was never started. */
  readonly model: ModelState | undefined
}

/** Returns the fields of a model's page that the list does not have. */
export function toModelDetails({ manifest, checkedAtMs }: CatalogEntry, { catalog, config, model }: Known) {
  const { id, licenseUrl, dimensions, capabilities, defaults, acceptLicense, noncommercial, aliases } = manifest
  return {
    ...{ licenseUrl, dimensions, capabilities, defaults },
    acceptLicense: acceptLicense === true,
    noncommercial: noncommercial === true,
    aliasDefaults: aliases,
    files: filesOf(manifest, catalog, config.data),
    settings: settingRows(manifest, { catalog, config }),
    /** Path of the operator's own manifest. Undefined for models of the shipped catalog. */
    manifestFile: catalog.operatorManifest(id),
    /**
     * Time of the last check of its upstream servers, which found `lacks`. Undefined for models without such servers,
     * or before the first check.
     */
    checkedAtMs,
    lacks: manifest.upstream?.lacks ?? [],
    restarts: model?.restarts ?? 0,
    lastExit: model?.lastExit,
    failedLoad: model?.failedLoad,
    backend: model?.backend,
    remark: model?.info?.remark,
  }
}

function filesOf(manifest: ModelManifest, catalog: Catalog, dataDir: string) {
  const located = catalog.filesOf(manifest.id)
  const locked = lockedFiles(modelFolder(dataDir, manifest.id))
  return allFiles(manifest).map(({ role, name, path, url, sizeBytes, sha256 }, index) => {
    const place = located[index]
    // An archive has no entry of its own: the lock lists the files in it.
    const lock = locked.find((file) => file.name === name)
    return {
      role: place?.isForGpu === true ? `${role} for a GPU` : role,
      name: path === undefined ? name : basename(path),
      /** Bytes on this disk. 0 if the file is not here. */
      bytes: place === undefined ? 0 : diskBytes([{ ...place, isCarried: false }]),
      expectedBytes: sizeBytes,
      sha256: lock?.sha256 ?? sha256,
      /** Time of the last comparison of the whole file with its checksum. */
      verifiedMs: lock?.verifiedAtMs,
      source: lock?.source ?? url,
    }
  })
}

function lockedFiles(folder: string): readonly LockedFile[] {
  try {
    return readLock(folder)?.files ?? []
  } catch (error) {
    if (error instanceof FileError) return [] // the model's status says that it is damaged
    throw error
  }
}

function settingRows(manifest: ModelManifest, { catalog, config }: Pick<Known, 'catalog' | 'config'>) {
  const { id, engine, settings: own } = manifest
  const inForce: Readonly<Record<string, SettingValue | undefined>> = settingsOf(manifest, serverValues(config))
  const fromFile = catalog.overrides.settings?.get(id)?.[engine]
  return Object.entries<SettingRow>(engineTable[engine].settings).map(([name, row]) => {
    const key = valueName(name, row)
    const value = inForce[key]
    const source =
      fromFile?.[key] !== undefined
        ? (config.file ?? 'config.toml')
        : own?.[key] !== undefined
          ? 'manifest'
          : sourceOf(config, name)
    return {
      name: tomlKey(name),
      value: value === undefined ? undefined : asWritten(row, value),
      source,
      help: row.help,
    }
  })
}

function sourceOf({ resolved }: Config, name: string): string {
  const found: Readonly<Record<string, { readonly source: string } | undefined>> = resolved
  return found[name]?.source ?? 'default'
}

/** Returns the server's own settings, without those of single models. */
export function serverValues({
  resolved: _resolved,
  prices: _prices,
  providers: _providers,
  models: _models,
  webhooks: _webhooks,
  accounts: _accounts,
  mail: _mail,
  engineEnvironment: _environment,
  ...values
}: Config) {
  return values
}
