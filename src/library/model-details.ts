/** Everything about one model that the operator's page of it shows. */
import { basename } from 'node:path'
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts'
import { allFiles, modelFolder } from '../catalog/locate-files.ts'
import { FileError } from '../catalog/stat-file.ts'
import type { Config } from '../config/config.ts'
import type { ModelAlias, ModelManifest } from '../core/model.ts'
import type { ModelState } from '../core/model-state.ts'
import { asWritten, type SettingRow, type SettingValue, tomlKey, valueName } from '../core/setting.ts'
import type { ServerLack } from '../core/upstream.ts'
import { engineTable } from '../engines/engine-table.ts'
import { settingsOf } from '../engines/model-settings.ts'
import { type LockedFile, readLock } from '../store/lock.ts'
import { diskBytes } from './disk-bytes.ts'

export interface ModelDetails extends Pick<ModelManifest, 'licenseUrl' | 'dimensions' | 'capabilities' | 'defaults'> {
  readonly acceptLicense: boolean
  readonly noncommercial: boolean
  readonly aliasDefaults: readonly ModelAlias[]
  readonly files: readonly ModelFileRow[]
  readonly settings: readonly ModelSettingRow[]
  /** Path of the operator's own manifest. Undefined for models of the shipped catalog. */
  readonly manifestFile: string | undefined
  /** Time of the last check of its upstream servers. Undefined if never checked, or it has none. */
  readonly checkedAtMs: number | undefined
  /** Features that this check found missing. */
  readonly lacks: readonly ServerLack[]
  /** Starts of its engine after the first one. */
  readonly restarts: number
  /** Reason of its process's last unrequested end, with its last words. */
  readonly lastExit: string | undefined
  readonly failedLoad: string | undefined
  /** Name of the backend that it computes with; undefined while it is not loaded, and for engines that have no choice. */
  readonly backend: string | undefined
  /** Reason why it, or a part of it, runs on the CPU where a GPU could be expected. */
  readonly remark: string | undefined
}

export interface ModelFileRow {
  readonly role: string
  readonly name: string
  /** Size on this disk. 0 if not here. */
  readonly bytes: number
  /** Bytes that the manifest gives. */
  readonly expectedBytes: number | undefined
  /** Sum that was computed when the file came, else the manifest's. */
  readonly sha256: string | undefined
  /** Time of the last comparison of the whole file with its checksum. */
  readonly verifiedMs: number | undefined
  readonly source: string | undefined
}

export interface ModelSettingRow {
  readonly name: string
  readonly value: SettingValue | undefined
  /** The settings file or `manifest`, where it is the model's own; else where the server's was said. */
  readonly source: string
  readonly help: string
}

interface Known {
  readonly catalog: Catalog
  readonly config: Config
  readonly engine: ModelState | undefined
}

export function modelDetails(
  { manifest, checkedAtMs }: CatalogEntry,
  { catalog, config, engine }: Known,
): ModelDetails {
  const { id, licenseUrl, dimensions, capabilities, defaults, acceptLicense, noncommercial, aliases } = manifest
  return {
    ...{ licenseUrl, dimensions, capabilities, defaults },
    acceptLicense: acceptLicense === true,
    noncommercial: noncommercial === true,
    aliasDefaults: aliases,
    files: filesOf(manifest, catalog, config.data),
    settings: settingRows(manifest, config),
    manifestFile: catalog.operatorManifest(id),
    checkedAtMs,
    lacks: manifest.upstream?.lacks ?? [],
    restarts: engine?.restarts ?? 0,
    lastExit: engine?.lastExit,
    failedLoad: engine?.failedLoad,
    backend: engine?.backend,
    remark: engine?.info?.remark,
  }
}

function filesOf(manifest: ModelManifest, catalog: Catalog, dataDir: string): ModelFileRow[] {
  const located = catalog.filesOf(manifest.id)
  const locked = lockedFiles(modelFolder(dataDir, manifest.id))
  return allFiles(manifest).map(({ role, name, path, url, sizeBytes, sha256 }, index) => {
    const place = located[index]
    // The lock lists the files of an archive, not the archive.
    const lock = locked.find((file) => file.name === name)
    return {
      role: place?.isForGpu === true ? `${role} for a GPU` : role,
      name: path === undefined ? name : basename(path),
      bytes: place === undefined ? 0 : diskBytes([{ ...place, isCarried: false }]),
      expectedBytes: sizeBytes,
      sha256: lock?.sha256 ?? sha256,
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

function settingRows(manifest: ModelManifest, config: Config): ModelSettingRow[] {
  const { id, engine, settings: own } = manifest
  const inForce: Readonly<Record<string, SettingValue | undefined>> = settingsOf(manifest, { ...serverValues(config) })
  const fromFile = config.models.get(id)?.[engine]
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

/** Returns the server's settings of engines. */
function serverValues({
  resolved: _resolved,
  prices: _prices,
  models: _models,
  accounts: _accounts,
  mail: _mail,
  engineEnvironment: _environment,
  ...values
}: Config) {
  return values
}
