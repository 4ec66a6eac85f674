/**
 * The settings of the program: from one table (`config-table.ts`) come the flags, the environment variables, the keys
 * of the TOML file, `--help` and the README's table. Flags win over the environment, the environment over the file, the
 * file over the default. A setting `batch-tokens` is the flag `--batch-tokens`, the variable `INFERD_BATCH_TOKENS` and
 * the key `batch_tokens`. Nothing else of the program reads the environment.
 */
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import { allowedText, asKind, placeholder, type SettingType, type SettingValue } from './config-kinds.ts'
import { readPrices } from './config-prices.ts'
import {
  environmentName,
  environmentPrefix,
  type SettingName,
  settingNames,
  settings,
  tomlKey,
} from './config-table.ts'
import type { PriceOverride } from './core/model.ts'
import { decimalToNano } from './core/money.ts'
import { nearest, suggestion } from './core/nearest.ts'
import type { EngineOptions } from './engines/protocol.ts'

/** Version of the program. */
export const version: string = packageJson.version

export interface Config {
  /** Absolute. */
  readonly dataDir: string
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Scheme and address only; undefined: the one that clients connect to. */
  readonly publicUrl: string | undefined
  /** Further names of this server, in lower case and ASCII. */
  readonly allowedHosts: readonly string[]
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
  readonly logFormat: 'auto' | 'text' | 'json'
  readonly bodyLimitBytes: number
  readonly idleTimeoutSeconds: number
  /** How long an item of a response can be referred to after its last use; 0: not at all. */
  readonly responseItemsMs: number
  /** Id or alias. */
  readonly preloadModel: string | undefined
  /** GET /models leaves out what is not on this disk. */
  readonly listsOnlyInstalled: boolean
  readonly accounts: AccountsConfig
  /** Undefined: mails wait in the outbox. */
  readonly mail: MailConfig | undefined
  /** By canonical model id; of the file alone. */
  readonly prices: ReadonlyMap<string, PriceOverride>
  readonly engine: EngineOptions
  /** What engine processes get of our environment: nothing but these. */
  readonly engineEnvironment: Readonly<Record<string, string>>
}

export interface AccountsConfig {
  readonly isSignupOpen: boolean
  readonly starterCreditNanoUsd: number
  /** IP addresses and networks in CIDR notation. */
  readonly trustedProxies: readonly string[]
  /** In lower case and ASCII, beside the shipped list. */
  readonly blockedEmailDomains: readonly string[]
  /** Output tokens that an answer without limit holds money for at a time. */
  readonly holdTokens: number
}

export interface MailConfig {
  readonly host: string
  readonly port: number
  readonly security: 'starttls' | 'tls' | 'none'
  /** With `password`, or neither. */
  readonly user: string | undefined
  readonly password: string | undefined
  /** `Name <address>` or an address. */
  readonly from: string
}

/** A setting as shown to people. */
export interface Setting {
  readonly name: SettingName
  /** Commander's notation, e.g. `--port <n>`. */
  readonly flag: string
  /** Of a switch: the flag that turns it off. */
  readonly offFlag: string | undefined
  readonly environment: string
  readonly tomlKey: string
  readonly allowed: string
  readonly defaultText: string
  readonly help: string
  /** Its value is shown to nobody. */
  readonly isSecret: boolean
}

export interface ResolvedSetting {
  readonly value: SettingValue | undefined
  /** Where it was said: `--port`, `INFERD_PORT`, a file's path or `default`. */
  readonly source: string
}

export type ResolvedSettings = Readonly<Record<SettingName, ResolvedSetting>>

/** A setting that is unknown or has a value that is not allowed: the message says where and what is allowed. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

export interface ConfigSources {
  /** Values by setting name, as typed; `config` names the TOML file. */
  readonly flags: Readonly<Record<string, string | boolean | undefined>>
  readonly environment: Readonly<Record<string, string | undefined>>
}

const configVariable = `${environmentPrefix}CONFIG`

/** Where graphics drivers and the loader look for their parts. */
const engineVariables = [
  'LD_LIBRARY_PATH',
  'CUDA_VISIBLE_DEVICES',
  'GGML_VK_VISIBLE_DEVICES',
  'VK_DRIVER_FILES',
  'VK_ICD_FILENAMES',
  'XDG_DATA_DIRS',
]

/** The process's environment. */
export function processEnvironment(): ConfigSources['environment'] {
  return process.env
}

/** Every setting, in the table's order. */
export function listSettings(): Setting[] {
  return settingNames.map((name) => {
    const type: SettingType = settings[name]
    return {
      name,
      flag: type.kind === 'switch' ? `--${name}` : `--${name} <${placeholder(type)}>`,
      offFlag: type.kind === 'switch' ? `--no-${name}` : undefined,
      environment: environmentName(name),
      tomlKey: tomlKey(name),
      allowed: allowedText(type),
      defaultText: type.defaultText ?? type.fallback ?? 'none',
      help: type.help,
      isSecret: type.isSecret === true,
    }
  })
}

/** Reads, checks and freezes the settings. Throws ConfigError naming the flag, variable or key. */
export function loadConfig(sources: ConfigSources): Config {
  const { resolved, prices } = readSources(sources)
  const text = (name: SettingName) => textOf(resolved, name)
  const number = (name: SettingName) => Number(resolved[name].value)
  const list = (name: SettingName) => {
    const { value } = resolved[name]
    return Array.isArray(value) ? (value as readonly string[]) : Object.freeze([]) // isArray forgets readonly
  }
  const config: Config = {
    dataDir: text('data') ?? '',
    host: text('host') ?? '127.0.0.1',
    port: number('port'),
    publicUrl: text('public-url')?.replace(/\/$/, ''),
    allowedHosts: list('allowed-hosts'),
    // Checked against the table's choices, which are these unions.
    logLevel: text('log-level') as Config['logLevel'],
    logFormat: text('log-format') as Config['logFormat'],
    bodyLimitBytes: number('body-limit-mb') * 1024 * 1024,
    idleTimeoutSeconds: number('idle-timeout-seconds'),
    responseItemsMs: number('response-items-minutes') * 60_000,
    preloadModel: text('preload'),
    listsOnlyInstalled: text('list-models') === 'installed',
    accounts: Object.freeze({
      isSignupOpen: resolved.signup.value === true,
      starterCreditNanoUsd: decimalToNano(text('starter-credit-usd') ?? '') ?? 0,
      trustedProxies: list('trusted-proxies'),
      blockedEmailDomains: list('blocked-email-domains'),
      holdTokens: number('hold-tokens'),
    }),
    mail: mailConfig(resolved),
    prices,
    engine: Object.freeze({
      parallel: number('parallel'),
      contextTokens: number('context-tokens'),
      requestTokens: number('request-tokens'),
      maxWaiting: number('max-waiting'),
      prefixCacheBytes: number('prefix-cache-mb') * 1024 * 1024,
      batchTokens: number('batch-tokens'),
      threads: number('threads'),
      device: text('device') as EngineOptions['device'],
      kvType: text('kv-type') as EngineOptions['kvType'],
      flashAttention: text('flash-attention') as EngineOptions['flashAttention'],
      shareCache: resolved['share-cache'].value === true,
    }),
    engineEnvironment: Object.freeze(passedOn(sources.environment)),
  }
  return Object.freeze(config)
}

function textOf(resolved: ResolvedSettings, name: SettingName): string | undefined {
  const { value } = resolved[name]
  return value === undefined ? undefined : String(value)
}

function mailConfig(resolved: ResolvedSettings): MailConfig | undefined {
  const text = (name: SettingName) => textOf(resolved, name)
  const [host, from, user, password] = [text('smtp-host'), text('mail-from'), text('smtp-user'), text('smtp-password')]
  if (host === undefined) return undefined
  if (from === undefined) throw needs(resolved, 'smtp-host', 'mail-from')
  if (user !== undefined && password === undefined) throw needs(resolved, 'smtp-user', 'smtp-password')
  if (password !== undefined && user === undefined) throw needs(resolved, 'smtp-password', 'smtp-user')
  // Checked against the table's choices, which are this union.
  const security = text('smtp-security') as MailConfig['security']
  return Object.freeze({ host, port: Number(resolved['smtp-port'].value), security, user, password, from })
}

/** Names the one that is there by where it was said, the other by its flag and variable. */
function needs(resolved: ResolvedSettings, name: SettingName, missing: SettingName): ConfigError {
  const { source } = resolved[name]
  const where = source.includes('/') ? `${source}: ${tomlKey(name)}` : source
  return new ConfigError(`${where} needs --${missing} (${environmentName(missing)}) as well`)
}

/** The value of every setting and where it comes from. Throws ConfigError like `loadConfig`. */
export function resolveSettings(sources: ConfigSources): ResolvedSettings {
  return readSources(sources).resolved
}

type Prices = Config['prices']

function readSources({ flags, environment }: ConfigSources): { resolved: ResolvedSettings; prices: Prices } {
  const fromFlags = readFlags(flags)
  const fromEnvironment = readEnvironment(environment)
  if (flags.config === '') throw new ConfigError('--config must be a path, not ""')
  const explicitFile = flags.config ?? (environment[configVariable] || undefined)
  let file = typeof explicitFile === 'string' ? readFile(resolve(explicitFile)) : emptyFile
  const pick = (name: SettingName): ResolvedSetting =>
    fromFlags.get(name) ?? fromEnvironment.get(name) ?? file.found.get(name) ?? fallbackOf(name)

  const data = pick('data')
  const dataDir = resolve(String(data.value ?? defaultDataDir(environment)))
  const defaultFile = join(dataDir, 'config.toml')
  if (explicitFile === undefined && existsSync(defaultFile)) {
    file = readFile(defaultFile)
    if (file.found.has('data')) {
      throw new ConfigError(`${defaultFile}: data can not be set by the file inside that folder`)
    }
  }
  const rows = settingNames.map((name) => [name, name === 'data' ? { ...data, value: dataDir } : pick(name)] as const)
  // fromEntries forgets that every name is there.
  return { resolved: Object.fromEntries(rows) as ResolvedSettings, prices: file.prices }
}

/** The README's table. */
export function settingsAsMarkdown(): string {
  const rows = listSettings().map(
    ({ flag, offFlag, environment, tomlKey: key, allowed, defaultText, help }) =>
      `| \`${flag.split(' ')[0]}\`${offFlag === undefined ? '' : `, \`${offFlag}\``} | \`${environment}\` | \`${key}\` | ${allowed} | ${defaultText} | ${help} |`,
  )
  const head = ['| Flag | Environment | config.toml | Allowed | Default | What it does |', '|---|---|---|---|---|---|']
  return [...head, ...rows, ''].join('\n')
}

type Found = Map<SettingName, ResolvedSetting>

function readFlags(flags: ConfigSources['flags']): Found {
  const found: Found = new Map()
  for (const name of settingNames) {
    const value = flags[name]
    const flag = value === false ? `--no-${name}` : `--${name}`
    if (value !== undefined) found.set(name, parse(name, value, { where: flag, source: flag }))
  }
  return found
}

function readEnvironment(environment: ConfigSources['environment']): Found {
  const found: Found = new Map()
  for (const name of settingNames) {
    const variable = environmentName(name)
    const value = environment[variable]
    // Empty means unset: `INFERD_PORT= inferd` is how a shell takes a variable away.
    if (value) found.set(name, parse(name, value, { where: variable, source: variable }))
  }
  return found
}

/**
 * A line for each variable with our prefix that is no setting. No error, unlike an unknown key or flag: an environment is
 * shared with other programs and scripts, which may use the prefix for variables of their own.
 */
export function variableWarnings(environment: ConfigSources['environment']): string[] {
  const known = [...settingNames.map(environmentName), configVariable]
  return Object.entries(environment)
    .filter(([variable, value]) => variable.startsWith(environmentPrefix) && value && !known.includes(variable))
    .map(([variable]) => {
      const match = nearest(variable, known)
      const hint = match === undefined ? '' : ` (did you mean "${match}"?)`
      return `the environment variable ${variable} is no setting and has no effect${hint}`
    })
}

interface SettingsFile {
  readonly found: Found
  readonly prices: Prices
}

const emptyFile: SettingsFile = { found: new Map(), prices: Object.freeze(new Map()) }

function readFile(path: string): SettingsFile {
  const byKey = new Map(settingNames.map((name) => [tomlKey(name), name]))
  const found: Found = new Map()
  const { prices: priceTables = {}, ...toml } = parseToml(path)
  for (const [key, value] of Object.entries(toml)) {
    const name = byKey.get(key)
    if (name === undefined)
      throw new ConfigError(`${path}: unknown setting "${key}"${suggestion(key, [...byKey.keys(), 'prices'])}`)
    found.set(name, parse(name, value, { where: `${path}: ${key}`, source: path }))
  }
  const read = readPrices(priceTables)
  if ('problem' in read) throw new ConfigError(`${path}: ${read.problem}`)
  return { found, prices: read.prices }
}

function parseToml(path: string): Record<string, unknown> {
  try {
    return { ...Bun.TOML.parse(readFileSync(path, 'utf8')) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError(`${path} can not be read: ${reason}`)
  }
}

function parse(name: SettingName, value: unknown, origin: { where: string; source: string }): ResolvedSetting {
  const type: SettingType = settings[name]
  const parsed = asKind(type, value)
  if (parsed !== undefined) return { value: parsed, source: origin.source }
  if (type.isSecret === true) throw new ConfigError(`${origin.where} must be ${allowedText(type)}`)
  const shown = typeof value === 'string' ? `"${value}"` : JSON.stringify(value)
  throw new ConfigError(`${origin.where} must be ${allowedText(type)}, not ${shown}`)
}

function fallbackOf(name: SettingName): ResolvedSetting {
  const { fallback }: SettingType = settings[name]
  const origin = { where: `the default of ${name}`, source: 'default' }
  return fallback === undefined ? { value: undefined, source: 'default' } : parse(name, fallback, origin)
}

function defaultDataDir(environment: ConfigSources['environment']): string {
  const system = '/var/lib/inferd'
  if (process.getuid?.() === 0 && existsSync(system)) return system
  return join(environment.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'inferd')
}

function passedOn(environment: ConfigSources['environment']): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const name of engineVariables) {
    const value = environment[name]
    if (value !== undefined) passed[name] = value
  }
  return passed
}
