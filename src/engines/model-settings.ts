/** Engine settings of individual models, from the manifest or the operator's settings file. */
import type { EngineKind, ModelManifest } from '../core/model.ts'
import {
  asBasicKind,
  asWritten,
  basicKindText,
  keyHint,
  type SettingRow,
  type SettingValue,
  type SettingValues,
  tomlKey,
  valueName,
} from '../core/setting.ts'
import { type EngineSettings, engineKinds, engineTable } from './engine-table.ts'

/** Value names of each engine's settings. Built once, since every request needs some. */
const valueNames = new Map(
  engineKinds.map((kind) => [
    kind,
    Object.entries<SettingRow>(engineTable[kind].settings).map(([name, row]) => valueName(name, row)),
  ]),
)

/** Returns the settings with which a model is loaded: its own, else the server's. */
export function settingsOf({ engine, settings }: ModelManifest, server: SettingValues): Partial<EngineSettings> {
  const values: Record<string, SettingValue | undefined> = {}
  for (const name of valueNames.get(engine) ?? []) values[name] = settings?.[name] ?? server[name]
  return values
}

/** Returns the settings that affect the model's memory. */
export function memorySettingsOf(manifest: ModelManifest, server: SettingValues): SettingValues {
  const settings: SettingValues = settingsOf(manifest, server)
  const rows = Object.entries<SettingRow>(engineTable[manifest.engine].settings)
  const names = rows.flatMap(([name, row]) => (row.changesMemory === false ? [] : [valueName(name, row)]))
  return Object.fromEntries(names.map((name) => [name, settings[name]]))
}

/** Reads settings of an engine from its TOML table, or returns the problem. */
export function readModelSettings(kind: EngineKind, toml: unknown): { settings: SettingValues } | { problem: string } {
  if (typeof toml !== 'object' || toml === null || Array.isArray(toml)) return { problem: `"${kind}" must be a table` }
  const rows = Object.entries(engineTable[kind].settings)
  const settings: Record<string, SettingValue> = {}
  for (const [key, written] of Object.entries(toml)) {
    const [name, row] = rows.find(([each]) => tomlKey(each) === key) ?? []
    if (name === undefined || row === undefined) return { problem: unknownSetting(kind, key) }
    const value = asBasicKind(row, written)
    if (value === undefined) {
      return { problem: `"${kind}.${key}" must be ${basicKindText(row)}, not ${JSON.stringify(written)}` }
    }
    settings[valueName(name, row)] = value
  }
  return { settings: Object.freeze(settings) }
}

/** Returns the table from which `readModelSettings` reads the same settings. */
export function writeModelSettings(kind: EngineKind, settings: SettingValues): Record<string, SettingValue> {
  const written = Object.entries(engineTable[kind].settings).flatMap(([name, row]) => {
    const value = settings[valueName(name, row)]
    return value === undefined ? [] : [[tomlKey(name), asWritten(row, value)] as const]
  })
  return Object.fromEntries(written)
}

/** Returns the problem with settings tables for engines other than the model's; undefined if there is none. */
export function foreignSettings(engine: EngineKind, tables: Partial<Record<EngineKind, unknown>>): string | undefined {
  const foreign = engineKinds.find((kind) => kind !== engine && tables[kind] !== undefined)
  return foreign && `"${foreign}" has settings of another engine than the model's (did you mean "${engine}"?)`
}

function unknownSetting(kind: EngineKind, key: string): string {
  const hint = keyHint(key, keysOf(kind))
  const owner = engineKinds.find((other) => keysOf(other).includes(key))
  if (owner === undefined) return `unknown setting "${kind}.${key}"${hint}`
  return `"${kind}.${key}": ${key} is a setting of engine "${owner}", not of "${kind}"${hint}`
}

function keysOf(kind: EngineKind): string[] {
  return Object.keys(engineTable[kind].settings).map(tomlKey)
}
