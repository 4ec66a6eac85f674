/** Settings in force for operators: value, source and meaning. Secrets are left out. */
import type { PriceOverride, SettingsOverride } from '../core/model.ts'
import { nanoToDecimal } from '../core/money.ts'
import { asWritten, type SettingValue } from '../core/setting.ts'
import { engineKinds } from '../engines/engine-table.ts'
import { writeModelSettings } from '../engines/model-settings.ts'
import { priceFields } from './prices.ts'
import { listSettings, type SettingName, settings } from './settings.ts'
import type { ReadSettings } from './sources.ts'

/** Setting that is in force. */
interface SettingInForce {
  readonly name: SettingName
  /** Key in the settings file. */
  readonly key: string
  readonly environment: string
  /** Value as written in settings, `(set)` for a secret. Undefined if unset. */
  readonly value: SettingValue | undefined
  /** `--port`, `INFERD_PORT`, the file's path or `default`. */
  readonly source: string
  /** Default as people write it, `none` without one. */
  readonly defaultText: string
  /** Completes "must be …". */
  readonly allowed: string
  readonly help: string
  /** Line for the settings file. Undefined without a value and for secrets. */
  readonly line: string | undefined
}

/** Returns every setting in the table's order. */
export function settingsInForce({ resolved }: Pick<ReadSettings, 'resolved'>): SettingInForce[] {
  return listSettings().map(({ name, tomlKey: key, environment, defaultText, allowed, help, isSecret }) => {
    const { value, source } = resolved[name]
    const written = value === undefined ? undefined : asWritten(settings[name], value)
    const isHidden = isSecret && value !== undefined
    return {
      name,
      key,
      environment,
      value: isHidden ? '(set)' : written,
      source,
      defaultText,
      allowed,
      help,
      // JSON writes texts, numbers, booleans and lists as TOML does.
      line: written === undefined || isHidden ? undefined : `${key} = ${JSON.stringify(written)}`,
    }
  })
}

/** Setting of one model in the settings file. */
interface ModelSettingInForce {
  readonly model: string
  /** `prices`, or the engine that has the setting. */
  readonly table: string
  readonly name: string
  /** Value. Prices are decimal text in USD. */
  readonly value: SettingValue
}

/** Settings in force, and the file's settings for single models. */
export interface SettingsReport {
  /** Path of the settings file. Undefined if there is none. */
  readonly file: string | undefined
  readonly settings: readonly SettingInForce[]
  readonly models: readonly ModelSettingInForce[]
}

export function settingsReport(read: ReadSettings): SettingsReport {
  const { file, prices, models } = read
  const rowsOf = (model: string, table: string, values: Readonly<Record<string, SettingValue>>) =>
    Object.entries(values).map(([name, value]) => ({ model, table, name, value }))
  const priceRows = [...prices].flatMap(([model, override]) =>
    rowsOf(model, 'prices', pricesInFile(override, nanoToDecimal)),
  )
  const engineRows = [...models].flatMap(([model, override]) =>
    Object.entries(enginesInFile(override)).flatMap(([engine, values]) => rowsOf(model, engine, values)),
  )
  return { file, settings: settingsInForce(read), models: [...priceRows, ...engineRows] }
}

/** Returns the settings by engine, in the file's form. */
export function enginesInFile(override: SettingsOverride): Record<string, Record<string, SettingValue>> {
  const kinds = engineKinds.filter((kind) => override[kind] !== undefined)
  return Object.fromEntries(kinds.map((kind) => [kind, writeModelSettings(kind, override[kind] ?? {})]))
}

/** Returns the prices under their names in the file. */
export function pricesInFile<Shown>(override: PriceOverride, show: (nanoUsd: number) => Shown): Record<string, Shown> {
  const shown = Object.entries(priceFields).flatMap(([name, field]) => {
    const nanoUsd = override[field]
    return nanoUsd === undefined ? [] : [[name, show(nanoUsd)]]
  })
  return Object.fromEntries(shown)
}
