/** A setting as data: its allowed values, its default, and what it does. */

/** Kinds of values that engines have. `config/kinds.ts` has further ones. */
export type BasicKind =
  | { readonly kind: 'switch' }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }

/** One row of a table of settings, which are named as flags are: `batch-tokens`. */
export type SettingRow<Kind = BasicKind> = Kind & {
  /** As people write it; absent: none, or found out at start (`defaultText` then says how). */
  readonly fallback?: string
  readonly defaultText?: string
  readonly help: string
  /** Never shown. */
  readonly isSecret?: boolean
}

export type SettingValue = string | number | boolean | readonly string[]

/** Values by their names in camel case: `batchTokens`. */
export type SettingValues = Readonly<Record<string, SettingValue | undefined>>

/** The values that a table of settings has. */
export type Values<Rows> = {
  readonly [Name in keyof Rows as CamelCase<Name & string>]: ValueOf<Rows[Name]> | Absent<Rows[Name]>
}

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

type ValueOf<Row> = Row extends { choices: readonly (infer Choice)[] }
  ? Choice
  : Row extends { kind: 'integer' }
    ? number
    : Row extends { kind: 'switch' }
      ? boolean
      : Row extends { kind: ListKind }
        ? readonly string[]
        : string

/** Kinds whose values are lists; the empty list is their default. */
export type ListKind = 'networks' | 'domains' | 'hosts'

type Absent<Row> = Row extends { fallback: string } | { kind: ListKind } ? never : undefined

/** `batch-tokens` is `batchTokens` in values. */
export function camelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** `batch-tokens`, in values `batchTokens`, is the key `batch_tokens` of TOML files. */
export function tomlKey(name: string): string {
  return name.replaceAll(/-|(?=[A-Z])/g, '_').toLowerCase()
}

/** A value as text or in TOML's own type; undefined: not allowed. */
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
  }
}

/** Completes "… must be". */
export function basicKindText(row: BasicKind): string {
  switch (row.kind) {
    case 'choice':
      return `${row.choices.slice(0, -1).join(', ')} or ${row.choices.at(-1)}`
    case 'switch':
      return 'true or false'
    case 'integer':
      return `a whole number from ${row.min} to ${row.max}`
  }
}
