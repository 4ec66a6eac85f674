/** Settings as data: allowed values, default and effect. */
import { suggestion } from './nearest.ts'
import { readDuration, readSize, writeDuration, writeSize } from './quantities.ts'

/** Kinds of values that engines have. `config/kinds.ts` has further ones. */
export type BasicKind =
  | { readonly kind: 'switch' }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  /** Number of bytes. */
  | { readonly kind: 'size' }
  /** Milliseconds. `never` is an infinite time. */
  | { readonly kind: 'duration'; readonly allowsNever?: boolean }

/** Row of a table of settings, which are named like flags: `batch-tokens`. */
export type SettingRow<Kind = BasicKind> = Kind & {
  /**
   * Default as people write it. Absent if there is none, or if it is determined at the start, as `defaultText`
   * describes.
   */
  readonly fallback?: string
  readonly defaultText?: string
  readonly help: string
  /** True if the value is never shown. */
  readonly isSecret?: boolean
  /** True if only a hand at the machine changes it: it names the data folder, or what is trusted without a further check. */
  readonly isByHand?: boolean
  /** True if pages ask for the operator's password before they change it: it decides who gets in, or where secrets go. */
  readonly isGuarded?: boolean
  /** False if a loaded model's memory does not depend on this engine setting. */
  readonly changesMemory?: boolean
}

export type SettingValue = string | number | boolean | readonly string[]

/** Values by name in camel case, with units for sizes and durations: `batchTokens`, `memoryLimitBytes`. */
export type SettingValues = Readonly<Record<string, SettingValue | undefined>>

/** Values of a table of settings. */
export type Values<Rows> = {
  readonly [Name in keyof Rows as ValueName<Name & string, Rows[Name]>]: ValueOf<Rows[Name]> | Absent<Rows[Name]>
}

type ValueName<Name extends string, Row> = `${CamelCase<Name>}${Row extends { kind: 'size' }
  ? 'Bytes'
  : Row extends { kind: 'duration' }
    ? 'Ms'
    : ''}`

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

type ValueOf<Row> = Row extends { choices: readonly (infer Choice)[] }
  ? Choice
  : Row extends { kind: 'integer' | 'size' | 'duration' }
    ? number
    : Row extends { kind: 'switch' }
      ? boolean
      : Row extends { kind: ListKind }
        ? readonly string[]
        : string

/** Kinds whose values are lists. The empty list is their default. */
export type ListKind =
  | 'networks'
  | 'domains'
  | 'hosts'
  | 'models'
  | 'keys'
  | 'origins'
  | 'groups'
  | 'endpoints'
  | 'signals'

type Absent<Row> = Row extends { fallback: string } | { kind: ListKind } ? never : undefined

const unitOf: Readonly<Record<string, string>> = { size: 'Bytes', duration: 'Ms' }

/** Returns the name in values: `batch-tokens` is `batchTokens`, the size `memory-limit` is `memoryLimitBytes`. */
export function valueName(name: string, { kind }: { readonly kind: string }): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()) + (unitOf[kind] ?? '')
}

/** Returns the key in TOML files: `batch-tokens`, in values `batchTokens`, is `batch_tokens`. */
export function tomlKey(name: string): string {
  return name.replaceAll(/-|(?=[A-Z])/g, '_').toLowerCase()
}

/** Returns a value from text or TOML's own type; undefined if not allowed. */
export function asBasicKind(row: BasicKind, value: unknown): SettingValue | undefined {
  switch (row.kind) {
    case 'choice':
      return typeof value === 'string' && row.choices.includes(value) ? value : undefined
    case 'switch':
      if (typeof value === 'boolean') return value
      return value === 'true' || value === '1' ? true : value === 'false' || value === '0' ? false : undefined
    case 'integer': {
      const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
      const fits = typeof number === 'number' && Number.isSafeInteger(number) && number >= row.min && number <= row.max
      return fits ? number : undefined
    }
    case 'size':
      if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : undefined
      return typeof value === 'string' ? readSize(value) : undefined
    case 'duration':
      if (value === 'never') return row.allowsNever === true ? Number.POSITIVE_INFINITY : undefined
      return typeof value === 'string' ? readDuration(value) : undefined
  }
}

/** Returns a value as written in settings: `30m`, `24GB`. */
export function asWritten({ kind }: { readonly kind: string }, value: SettingValue): SettingValue {
  if (typeof value !== 'number') return value
  return kind === 'size' ? writeSize(value) : kind === 'duration' ? writeDuration(value) : value
}

/** Returns the end of "… must be". */
export function basicKindText(row: BasicKind): string {
  switch (row.kind) {
    case 'choice':
      return `${row.choices.slice(0, -1).join(', ')} or ${row.choices.at(-1)}`
    case 'switch':
      return 'true or false'
    case 'integer':
      return `a whole number from ${row.min} to ${row.max}`
    case 'size':
      return 'a size such as 24GB, 512MB or 16GiB'
    case 'duration':
      return `a duration such as 90s, 30m or 2h${row.allowsNever === true ? ', or never' : ''}`
  }
}

/** Keys of settings of earlier versions, and their replacements. */
const renamedKeys: Readonly<Record<string, string>> = {
  keep_alive_minutes: 'keep_alive, with a unit: keep_alive = "30m"',
}

/** Returns the hint for an unknown key: its new name, or the most similar known key. */
export function keyHint(key: string, known: readonly string[]): string {
  const renamed = renamedKeys[key]
  return renamed === undefined ? suggestion(key, known) : ` (it is now ${renamed})`
}
