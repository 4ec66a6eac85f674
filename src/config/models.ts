/** Section `[models."org/model".llama]` of the TOML file: settings of one model's engine. */
import type { SettingsOverride } from '../core/model.ts'
import { suggestion } from '../core/nearest.ts'
import { engineKinds } from '../engines/engine-table.ts'
import { readModelSettings } from '../engines/model-settings.ts'
import { ConfigError } from './kinds.ts'
import { isTable } from './prices.ts'

/**
 * Reads settings by model id. Only the catalog can check whether the models exist and have such engines. Throws
 * ConfigError.
 */
export function readModels(toml: unknown, file: string): ReadonlyMap<string, SettingsOverride> {
  const models = new Map<string, SettingsOverride>()
  if (!isTable(toml)) throw new ConfigError(`${file}: models must be tables such as [models."org/model".llama]`)
  for (const [id, tables] of Object.entries(toml)) {
    const where = `${file}: [models."${id}"]`
    if (!isTable(tables) || !Object.values(tables).every(isTable)) {
      throw new ConfigError(`${where} must be a table of engines, such as [models."${id}".llama]`)
    }
    const unknown = Object.keys(tables).find((name) => !engineKinds.some((kind) => kind === name))
    if (unknown !== undefined) {
      throw new ConfigError(`${where}: there is no engine "${unknown}"${suggestion(unknown, engineKinds)}`)
    }
    const override: { -readonly [Kind in keyof SettingsOverride]: SettingsOverride[Kind] } = {}
    for (const kind of engineKinds.filter((each) => each in tables)) {
      const read = readModelSettings(kind, tables[kind])
      if ('problem' in read) throw new ConfigError(`${where}: ${read.problem}`)
      override[kind] = read.settings
    }
    models.set(id, Object.freeze(override))
  }
  return Object.freeze(models)
}
