/** Section `[oidc.NAME]` of the TOML file: identity providers by which people sign in to the pages. */
import { type IdentityProvider, isSafeAddress } from '../core/identity-provider.ts'
import { suggestion } from '../core/nearest.ts'
import { staffRoles } from '../core/roles.ts'
import { tomlKey, type Values, valueName } from '../core/setting.ts'
import { readLimits } from './group-limits.ts'
import { ConfigError, type ConfigRow, isListKind, readValue } from './kinds.ts'
import { isTable } from './prices.ts'

/** Settings of a provider, by their names in camel case. */
export const providerSettings = {
  issuer: { kind: 'address', help: 'Address of the provider, exactly as its tokens name it; https, or this machine' },
  'client-id': { kind: 'text', help: 'Id under which the provider knows this server' },
  'client-secret': {
    kind: 'text',
    isSecret: true,
    help: 'Secret of this server; better in INFERD_OIDC_NAME_SECRET; none: a public client',
  },
  label: { kind: 'text', defaultText: 'NAME', help: 'Name of the provider on the sign-in page' },
  scopes: { kind: 'text', fallback: 'openid email profile', help: 'What is asked of the provider; openid is needed' },
  ca: { kind: 'path', help: 'Certificates (PEM) trusted for this provider in place of the usual ones' },
  'groups-claim': {
    kind: 'text',
    fallback: 'groups',
    help: 'Claim that lists groups; dots lead inside: realm_access.roles',
  },
  'allowed-groups': { kind: 'groups', defaultText: 'everybody', help: 'Groups whose members may sign in' },
  'trust-email': {
    kind: 'choice',
    choices: ['verified', 'issuer'],
    fallback: 'verified',
    help: 'Addresses that count: those the provider says it verified; issuer: also those of which it says nothing',
  },
  'create-accounts': { kind: 'switch', fallback: 'true', help: 'People get an account when they first sign in' },
  'session-hours': {
    kind: 'integer',
    min: 1,
    max: 720,
    fallback: '12',
    help: 'Hours after which the provider is asked again',
  },
  'pause-keys-days': {
    kind: 'integer',
    min: 0,
    max: 3650,
    fallback: '0',
    help: 'Days without a sign-in after which the keys of a person pause; 0: never',
  },
} as const satisfies Record<string, ConfigRow>

type SettingName = keyof typeof providerSettings

const rows = Object.entries(providerSettings) as [SettingName, ConfigRow][] // Object.entries forgets the key type
/** Tables of a provider that say what groups give. */
const groupTables = ['roles', 'teams', 'limits'] as const

/** Name in addresses, and in upper case in a variable. */
const nameForm = /^[a-z][a-z0-9]{0,31}$/

/** Returns the variable that holds a provider's secret. */
function secretVariable(name: string): string {
  return `INFERD_OIDC_${name.toUpperCase()}_SECRET`
}

/** Returns whether a variable holds the secret of some provider. */
export function isSecretVariable(variable: string): boolean {
  return /^INFERD_OIDC_[A-Z][A-Z0-9]*_SECRET$/.test(variable)
}

/** Reads the providers. Throws ConfigError. */
export function readProviders(
  toml: unknown,
  file: string,
  environment: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, IdentityProvider> {
  if (!isTable(toml)) throw new ConfigError(`${file}: oidc must be tables such as [oidc.company]`)
  const providers = new Map<string, IdentityProvider>()
  for (const [name, table] of Object.entries(toml)) {
    const where = `${file}: [oidc.${name}]`
    if (!isTable(table)) throw new ConfigError(`${where} must be a table with issuer and client_id`)
    if (!nameForm.test(name)) {
      throw new ConfigError(`${where}: the name must be 1 to 32 lower-case letters and digits, a letter first`)
    }
    providers.set(name, readProvider(name, { table, where, secret: environment[secretVariable(name)] || undefined }))
  }
  return Object.freeze(providers)
}

interface Said {
  readonly table: Readonly<Record<string, unknown>>
  readonly where: string
  /** Secret in the environment. */
  readonly secret: string | undefined
}

function readProvider(name: string, { table, where, secret }: Said): IdentityProvider {
  const keys = [...rows.map(([setting]) => tomlKey(setting)), ...groupTables]
  const unknown = Object.keys(table).find((key) => !keys.includes(key))
  if (unknown !== undefined) {
    throw new ConfigError(`${where}: unknown setting "${unknown}"${suggestion(unknown, keys)}`)
  }
  const values = readRows(table, where)
  const { issuer, clientId } = values
  if (issuer === undefined || clientId === undefined) {
    throw new ConfigError(`${where} needs ${issuer === undefined ? 'issuer' : 'client_id'}`)
  }
  if (!isSafeAddress(issuer)) {
    throw new ConfigError(`${where}: issuer must begin with https://, since it decides who signs in`)
  }
  if (!values.scopes.split(' ').includes('openid')) throw new ConfigError(`${where}: scopes must contain openid`)
  return Object.freeze({
    ...values,
    name,
    issuer,
    clientId,
    clientSecret: secret ?? values.clientSecret,
    label: values.label ?? name,
    allowedGroups: table.allowed_groups === undefined ? undefined : values.allowedGroups,
    roles: readGroups(table.roles, `${where}: roles`, staffRoles),
    teams: readGroups(table.teams, `${where}: teams`),
    limits: readLimits(table.limits, `${where}: limits`),
  })
}

function readRows(table: Said['table'], where: string): Values<typeof providerSettings> {
  const values = rows.map(([setting, row]) => {
    const key = tomlKey(setting)
    const said = table[key] ?? row.fallback
    const value = said === undefined ? undefined : readValue(row, said, `${where}: ${key}`)
    return [valueName(setting, row), value ?? (isListKind(row.kind) ? Object.freeze([]) : undefined)]
  })
  return Object.fromEntries(values) as Values<typeof providerSettings> // each value was checked against its row
}

/** Reads a table of lists of groups, as `operator = ["admins"]`. `names` are the permitted keys. */
function readGroups(toml: unknown, where: string, names?: readonly string[]): ReadonlyMap<string, readonly string[]> {
  if (toml === undefined) return new Map()
  if (!isTable(toml))
    throw new ConfigError(`${where} must be a table such as { ${names?.[0] ?? 'research'} = ["group"] }`)
  const lists = Object.entries(toml).map(([name, groups]) => {
    if (names !== undefined && !names.includes(name)) {
      throw new ConfigError(`${where}: there is no role "${name}"${suggestion(name, names)}`)
    }
    return [name, readValue({ kind: 'groups', help: '' }, groups, `${where}.${name}`) as readonly string[]] as const
  })
  return new Map(lists)
}
