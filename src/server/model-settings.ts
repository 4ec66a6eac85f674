/** Settings of single models: of the settings file, of the manifest, and of the server for all models. */
import type { Catalog } from '../catalog/catalog.ts'
import type { TomlChange } from '../config/edit-toml.ts'
import { enginesInFile } from '../config/shown-settings.ts'
import type { EngineKind, ModelManifest, SettingsOverride } from '../core/model.ts'
import {
  asBasicKind,
  asWritten,
  basicKindText,
  type SettingRow,
  type SettingValues,
  tomlKey,
  valueName,
} from '../core/setting.ts'
import { engineTable } from '../engines/engine-table.ts'
import { OperationError } from '../operations/problem.ts'
import type { ModelSettings, ShownModelSetting } from '../operations/running-server.ts'

interface ModelSettingsOptions {
  /** Settings of the server. */
  readonly config: SettingValues
  /** Catalog with the manifests' own settings. */
  readonly plain: Catalog
  readonly isLoaded: (model: string) => boolean
  /** Returns the settings of the file for single models, as the next start reads them. */
  readonly inFile: () => ReadonlyMap<string, SettingsOverride>
}

/** Returns the reader of models' settings. */
export function modelSettings({ config, plain, isLoaded, inFile }: ModelSettingsOptions): ModelSettings {
  return {
    list: () => {
      const overrides = inFile()
      return plain.entries().map(({ manifest: { id, type, engine }, status }) => ({
        ...{ model: id, type, engine, isHere: status.kind === 'ready', isLoaded: isLoaded(id) },
        own: enginesInFile(overrides.get(id) ?? {})[engine] ?? {},
      }))
    },
    show: (model) => {
      const manifest = manifestOf(plain, model)
      const own = inFile().get(model)?.[manifest.engine] ?? {}
      return {
        ...{ model, engine: manifest.engine, isLoaded: isLoaded(model) },
        settings: rowsOf(manifest.engine).map(([name, row]) => {
          const value = valueName(name, row)
          return shown(name, row, { own: own[value], ofManifest: manifest.settings?.[value], ofServer: config[value] })
        }),
      }
    },
  }
}

function shown(
  name: string,
  row: SettingRow,
  { own, ofManifest, ofServer }: Readonly<Record<'own' | 'ofManifest' | 'ofServer', SettingValues[string]>>,
): ShownModelSetting {
  const written = (value: SettingValues[string]) => (value === undefined ? undefined : asWritten(row, value))
  return {
    ...{ name, key: tomlKey(name), kind: row.kind, allowed: basicKindText(row), help: row.help },
    choices: row.kind === 'choice' ? row.choices : undefined,
    own: written(own),
    inherited: written(ofManifest ?? ofServer),
    inheritedFrom: ofManifest === undefined ? 'server' : 'manifest',
  }
}

/**
 * Returns the edits that give a model these settings; an empty text removes one. Throws OperationError if the model, or
 * its engine, has no such setting, or if it does not allow the text.
 */
export function modelSettingEdits(
  plain: Catalog,
  model: string,
  { texts, own }: { readonly texts: Readonly<Record<string, string>>; readonly own: SettingsOverride | undefined },
): TomlChange[] {
  const { engine } = manifestOf(plain, model)
  const rows = new Map(rowsOf(engine))
  const edits = Object.entries(texts).map(([name, text]): TomlChange => {
    const row = rows.get(name)
    if (row === undefined) throw new OperationError({ code: 'not_found', what: 'setting', name })
    const path = ['models', model, engine, tomlKey(name)]
    if (text.trim() === '') return { path, value: undefined }
    const value = asBasicKind(row, text.trim())
    if (value === undefined)
      throw new OperationError({ code: 'invalid_input', field: name, rule: `must be ${basicKindText(row)}` })
    return { path, value: asWritten(row, value) }
  })
  const left = new Set(Object.keys(enginesInFile(own ?? {})[engine] ?? {}))
  for (const { path, value } of edits) {
    const key = path.at(-1) ?? ''
    if (value === undefined) left.delete(key)
    else left.add(key)
  }
  return left.size === 0 ? [{ path: ['models', model], value: undefined }] : edits
}

/** Returns the manifest of a model by its id, not by an alias. Throws OperationError if there is none. */
export function manifestOf(catalog: Catalog, model: string): ModelManifest {
  const found = catalog.resolve(model)
  if (found === undefined || found.alias !== undefined)
    throw new OperationError({ code: 'not_found', what: 'model', name: model })
  return found.entry.manifest
}

function rowsOf(engine: EngineKind): [string, SettingRow][] {
  return Object.entries<SettingRow>(engineTable[engine].settings)
}
