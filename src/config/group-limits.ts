/** Tables `[oidc.NAME.limits.GROUP]` of the TOML file: limits of the members of a provider's groups. */
import type { GroupLimits } from '../core/identity-provider.ts'
import { decimalToNano } from '../core/money.ts'
import { suggestion } from '../core/nearest.ts'
import { tomlKey } from '../core/setting.ts'
import { ConfigError, type ConfigRow, readValue } from './kinds.ts'
import { isTable } from './prices.ts'

const perMinute = { kind: 'integer', min: 1, max: 1_000_000_000, help: '' } as const
/** Settings of the limits of a group. */
const limitRows = {
  'daily-usd': { kind: 'usd', help: '' },
  'monthly-usd': { kind: 'usd', help: '' },
  'requests-per-minute': perMinute,
  'tokens-per-minute': perMinute,
  parallel: { kind: 'integer', min: 1, max: 1_000_000, help: '' },
  models: { kind: 'models', help: '' },
  endpoints: { kind: 'endpoints', help: '' },
  networks: { kind: 'networks', help: '' },
} as const satisfies Record<string, ConfigRow>

const limitRowsByKey = new Map<string, ConfigRow>(Object.entries(limitRows).map(([name, row]) => [tomlKey(name), row]))

/** Reads limits by group, as `[oidc.NAME.limits.students]`. */
export function readLimits(toml: unknown, where: string): ReadonlyMap<string, GroupLimits> {
  if (toml === undefined) return new Map()
  const example = 'such as { students = { monthly_usd = 5 } }'
  if (!isTable(toml)) throw new ConfigError(`${where} must be a table ${example}`)
  const limits = Object.entries(toml).map(([group, table]) => {
    if (!isTable(table)) throw new ConfigError(`${where}.${group} must be a table ${example}`)
    return [group, readLimit(table, `${where}.${group}`)] as const
  })
  return new Map(limits)
}

function readLimit(table: Readonly<Record<string, unknown>>, where: string): GroupLimits {
  const fields = Object.entries(table).map(([key, said]) => {
    const row = limitRowsByKey.get(key)
    if (row === undefined) {
      throw new ConfigError(`${where}: unknown limit "${key}"${suggestion(key, [...limitRowsByKey.keys()])}`)
    }
    const value = readValue(row, said, `${where}.${key}`)
    const name = key.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
    return row.kind === 'usd' ? [name.replace('Usd', 'NanoUsd'), decimalToNano(String(value))] : [name, value]
  })
  return Object.fromEntries(fields) // each value was checked against its row
}
