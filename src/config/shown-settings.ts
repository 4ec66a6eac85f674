/** Settings in force for operators: value, source and meaning. Secrets are left out. */
import type { PriceOverride, SettingsOverride } from '../core/model.ts'
import { asWritten, type SettingValue } from '../core/setting.ts'
import { engineKinds } from '../engines/engine-table.ts'
import { writeModelSettings } from '../engines/model-settings.ts'
import type { ConfigRow } from './kinds.ts'
import { priceFields } from './prices.ts'
import {
  environmentPrefix,
  listSettings,
  type SettingGroup,
  type SettingName,
  settingGroup,
  settings,
} from './settings.ts'
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

/** Setting of a running server, and its value at the next start. */
interface ListedSetting extends SettingInForce {
  readonly group: SettingGroup
  readonly kind: ConfigRow['kind']
  /** Allowed words. Undefined for kinds other than a choice. */
  readonly choices: readonly string[] | undefined
  readonly isSecret: boolean
  /** True if pages do not change it. */
  readonly isByHand: boolean
  /** True if pages ask for the operator's password before they change it. */
  readonly isGuarded: boolean
  /** Flag or variable that wins over the file. Undefined if the file decides. */
  readonly decidedBy: string | undefined
  /** Value at the next start, in the form of `value`. Undefined if unset, or if the next start would fail. */
  readonly next: SettingValue | undefined
  readonly nextSource: string | undefined
  /** True if the next start will have another value. */
  readonly needsRestart: boolean
}

/** Returns every setting with what the next start will make of it. */
function listedSettings(read: Pick<ReadSettings, 'resolved'>, next: ReadSettings | undefined): ListedSetting[] {
  const coming = next === undefined ? undefined : settingsInForce(next)
  return settingsInForce(read).map((shown, index) => {
    const { name, source } = shown
    const row: ConfigRow = settings[name]
    const now = read.resolved[name].value
    return {
      ...shown,
      group: settingGroup(name),
      kind: row.kind,
      choices: row.kind === 'choice' ? row.choices : undefined,
      isSecret: row.isSecret === true,
      isByHand: row.isByHand === true,
      isGuarded: row.isGuarded === true,
      decidedBy: source.startsWith('--') || source.startsWith(environmentPrefix) ? source : undefined,
      next: coming?.[index]?.value,
      nextSource: coming?.[index]?.source,
      needsRestart: next !== undefined && !Bun.deepEquals(now, next.resolved[name].value),
    }
  })
}

/** Settings in force, and the file. */
export interface SettingsReport {
  /** Path of the settings file. Undefined if the server started without one. */
  readonly file: string | undefined
  /** Path that a change writes to. */
  readonly path: string
  /** Mark of the file's content, for changes that must not overwrite others. */
  readonly version: string
  /** Reason why the next start would fail. Undefined if it would not. */
  readonly problem: string | undefined
  readonly settings: readonly ListedSetting[]
}

/** Returns the report. `coming`: the settings of the next start, or the reason why it would fail. */
export function settingsReport(
  read: ReadSettings,
  {
    path,
    version,
    coming,
  }: { readonly path: string; readonly version: string; readonly coming: ReadSettings | string },
): SettingsReport {
  const isGood = typeof coming !== 'string'
  return {
    ...{ file: read.file, path, version, problem: isGood ? undefined : coming },
    settings: listedSettings(read, isGood ? coming : undefined),
  }
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
