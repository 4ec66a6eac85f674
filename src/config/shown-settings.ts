/** The settings as operators see them: what is in force, where it was said, and what it means. Secrets are never among them. */
import type { PriceOverride, SettingsOverride } from '../core/model.ts'
import { nanoToDecimal } from '../core/money.ts'
import { asWritten, type SettingValue } from '../core/setting.ts'
import { engineKinds } from '../engines/engine-table.ts'
import { writeModelSettings } from '../engines/model-settings.ts'
import { priceFields } from './prices.ts'
import { listSettings, type SettingName, settings } from './settings.ts'
import type { ReadSettings } from './sources.ts'

/** A setting that is in force. */
export interface SettingInForce {
  readonly name: SettingName
  /** What it is called in the settings file. */
  readonly key: string
  readonly environment: string
  /** As it is written in settings; `(set)` for a secret; undefined: none. */
  readonly value: SettingValue | undefined
  /** `--port`, `INFERD_PORT`, the file's path or `default`. */
  readonly source: string
  /** How people write it; `none` where there is none. */
  readonly defaultText: string
  /** Completes "must be …". */
  readonly allowed: string
  readonly help: string
  /** The line of the settings file that says the same; undefined where there is no value, or it is a secret. */
  readonly line: string | undefined
}

/** Every setting, in the table's order. */
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
      // JSON's texts, numbers, booleans and lists are TOML's too.
      line: written === undefined || isHidden ? undefined : `${key} = ${JSON.stringify(written)}`,
    }
  })
}

/** What the settings file says of one model. */
export interface ModelSettingInForce {
  readonly model: string
  /** `prices`, or the engine that has the setting. */
  readonly table: string
  readonly name: string
  /** Prices are decimal text in USD. */
  readonly value: SettingValue
}

/** All settings that are in force, and what the file says of single models. */
export interface SettingsReport {
  /** The settings file; undefined where there is none. */
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

/** By engine, the settings as they stand in the file. */
export function enginesInFile(override: SettingsOverride): Record<string, Record<string, SettingValue>> {
  const kinds = engineKinds.filter((kind) => override[kind] !== undefined)
  return Object.fromEntries(kinds.map((kind) => [kind, writeModelSettings(kind, override[kind] ?? {})]))
}

/** The fields as they are called in the file. */
export function pricesInFile<Shown>(override: PriceOverride, show: (nanoUsd: number) => Shown): Record<string, Shown> {
  const shown = Object.entries(priceFields).flatMap(([name, field]) => {
    const nanoUsd = override[field]
    return nanoUsd === undefined ? [] : [[name, show(nanoUsd)]]
  })
  return Object.fromEntries(shown)
}
