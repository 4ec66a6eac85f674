/**
 * The settings of the program: one table, from which come the flags, the environment variables, the keys of the TOML
 * file, `--help` and the README's table. Flags win over the environment, the environment over the file, the file over
 * the default. A setting `batch-tokens` is the flag `--batch-tokens`, the variable `INFERD_BATCH_TOKENS` and the key
 * `batch_tokens`.
 */
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { suggestion } from './core/nearest.ts'
import type { EngineOptions } from './engines/protocol.ts'

export interface Config {
  /** Absolute. */
  readonly dataDir: string
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Without a trailing slash; undefined: `http://<host>:<port>`. */
  readonly publicUrl: string | undefined
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
  readonly logFormat: 'auto' | 'text' | 'json'
  readonly bodyLimitBytes: number
  readonly preloadModel: string | undefined
  readonly engine: EngineOptions
}

type Kind =
  | { readonly kind: 'text' | 'path' | 'url' }
  | { readonly kind: 'switch' }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }

type SettingType = Kind & {
  /** As people would write it; undefined: none, or found out at start (`defaultText` then says how). */
  readonly fallback?: string | undefined
  readonly defaultText?: string
  readonly help: string
}

type Value = string | number | boolean

const maximumTokens = 16_777_216

const settings = {
  data: {
    kind: 'path',
    defaultText: '/var/lib/inferd for root where it exists, else ~/.local/share/inferd',
    help: 'Folder of the database, models and everything else that is kept',
  },
  host: { kind: 'text', fallback: '127.0.0.1', help: 'Address to listen on; 0.0.0.0 for all of IPv4' },
  port: { kind: 'integer', min: 0, max: 65_535, fallback: '11500', help: 'Port to listen on; 0 picks a free one' },
  'public-url': { kind: 'url', help: 'How clients reach this server, for links in answers' },
  'log-level': {
    kind: 'choice',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    fallback: 'info',
    help: 'Least serious log line written to stderr',
  },
  'log-format': {
    kind: 'choice',
    choices: ['auto', 'text', 'json'],
    fallback: 'auto',
    help: 'auto: text on a terminal, JSON lines otherwise',
  },
  'body-limit-mb': {
    kind: 'integer',
    min: 1,
    max: 1024,
    fallback: '64',
    help: 'Largest JSON request body in MB (images are part of it)',
  },
  preload: { kind: 'text', help: 'Id or alias of a model to load at start instead of at its first request' },
  parallel: { kind: 'integer', min: 1, max: 256, fallback: '8', help: 'Requests a model works on side by side' },
  'context-tokens': {
    kind: 'integer',
    min: 256,
    max: maximumTokens,
    fallback: '32768',
    help: 'KV cache of a model, shared by its requests; no request may be longer',
  },
  'batch-tokens': { kind: 'integer', min: 32, max: 65_536, fallback: '512', help: 'Most tokens decoded in one step' },
  threads: {
    kind: 'integer',
    min: 0,
    max: 1024,
    fallback: '0',
    help: 'CPU threads of a model; 0: physical cores minus one',
  },
  device: {
    kind: 'choice',
    choices: ['auto', 'cpu', 'vulkan', 'cuda'],
    fallback: 'auto',
    help: 'What models run on; auto takes the best that loads',
  },
  'kv-type': {
    kind: 'choice',
    choices: ['f16', 'q8_0', 'q4_0'],
    fallback: 'f16',
    help: 'Number format of the KV cache; q8_0 halves its memory',
  },
  'flash-attention': {
    kind: 'choice',
    choices: ['auto', 'on', 'off'],
    fallback: 'auto',
    help: 'Attention without the large intermediate matrix',
  },
  'share-cache': {
    kind: 'switch',
    fallback: 'false',
    help: 'Reuse cached prompts across accounts (timing then tells one account what another asked)',
  },
} as const satisfies Record<string, SettingType>

export type SettingName = keyof typeof settings

export interface Setting {
  readonly name: SettingName
  /** Commander's notation, e.g. `--port <n>`. */
  readonly flag: string
  readonly environment: string
  readonly tomlKey: string
  readonly allowed: string
  readonly defaultText: string
  readonly help: string
}

/** A setting that is unknown or has a value that is not allowed: the message says where and what is allowed. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

export interface ConfigSources {
  /** Values by setting name, as typed; `config` names the TOML file. */
  readonly flags: Readonly<Record<string, string | boolean | undefined>>
  readonly environment: Readonly<Record<string, string | undefined>>
}

const environmentPrefix = 'INFERD_'
const names = Object.keys(settings) as SettingName[] // Object.keys forgets the key type of a constant

/** The process's environment; read nowhere else. */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env
}

/** Every setting as shown to people, in the table's order. */
export function listSettings(): Setting[] {
  return names.map((name) => {
    const type: SettingType = settings[name]
    return {
      name,
      flag: type.kind === 'switch' ? `--${name}` : `--${name} <${placeholder(type)}>`,
      environment: environmentName(name),
      tomlKey: tomlKey(name),
      allowed: allowedText(type),
      defaultText: type.defaultText ?? type.fallback ?? 'none',
      help: type.help,
    }
  })
}

/** Reads, checks and freezes the settings. Throws ConfigError naming the flag, variable or key. */
export function loadConfig({ flags, environment }: ConfigSources): Config {
  const fromEnvironment = readEnvironment(environment)
  const explicitFile = flags.config ?? environment.INFERD_CONFIG
  const file = typeof explicitFile === 'string' && explicitFile !== '' ? resolve(explicitFile) : undefined
  const ofFile = file === undefined ? new Map<SettingName, Value>() : readFile(file)
  const pick = (name: SettingName): Value | undefined => {
    const flag = flags[name]
    if (flag !== undefined) return parseValue(name, flag, `--${name}`)
    return fromEnvironment.get(name) ?? ofFile.get(name) ?? fallbackOf(name)
  }
  const dataDir = resolve(String(pick('data') ?? defaultDataDir(environment)))
  const defaultFile = join(dataDir, 'config.toml')
  if (file === undefined && existsSync(defaultFile)) {
    for (const [name, value] of readFile(defaultFile)) {
      if (name === 'data') throw new ConfigError(`${defaultFile}: data can not be set by the file inside that folder`)
      ofFile.set(name, value)
    }
  }
  const text = (name: SettingName) => {
    const value = pick(name)
    return value === undefined || value === '' ? undefined : String(value)
  }
  const number = (name: SettingName) => Number(pick(name))
  return deepFreeze({
    dataDir,
    host: text('host') ?? '127.0.0.1',
    port: number('port'),
    publicUrl: text('public-url')?.replace(/\/+$/, ''),
    // Checked against the table's choices, which are these unions.
    logLevel: text('log-level') as Config['logLevel'],
    logFormat: text('log-format') as Config['logFormat'],
    bodyLimitBytes: number('body-limit-mb') * 1024 * 1024,
    preloadModel: text('preload'),
    engine: {
      parallel: number('parallel'),
      contextTokens: number('context-tokens'),
      batchTokens: number('batch-tokens'),
      threads: number('threads'),
      device: text('device') as EngineOptions['device'],
      kvType: text('kv-type') as EngineOptions['kvType'],
      flashAttention: text('flash-attention') as EngineOptions['flashAttention'],
      shareCache: pick('share-cache') === true,
    },
  })
}

/** The README's table. */
export function settingsAsMarkdown(): string {
  const rows = listSettings().map(
    ({ flag, environment, tomlKey: key, allowed, defaultText, help }) =>
      `| \`${flag.split(' ')[0]}\` | \`${environment}\` | \`${key}\` | ${allowed} | ${defaultText} | ${help} |`,
  )
  return [
    '| Flag | Environment | config.toml | Allowed | Default | What it does |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

function readEnvironment(environment: ConfigSources['environment']): Map<SettingName, Value> {
  const known = [...names.map(environmentName), `${environmentPrefix}CONFIG`]
  const found = new Map<SettingName, Value>()
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith(environmentPrefix) || value === undefined) continue
    if (!known.includes(variable)) {
      throw new ConfigError(`unknown environment variable ${variable}${suggestion(variable, known)}`)
    }
    const name = names.find((candidate) => environmentName(candidate) === variable)
    // Empty means unset: `INFERD_PORT= inferd` is how a shell takes a variable away.
    if (name !== undefined && value !== '') found.set(name, parseValue(name, value, variable))
  }
  return found
}

function readFile(path: string): Map<SettingName, Value> {
  const found = new Map<SettingName, Value>()
  for (const [key, value] of Object.entries(parseToml(path))) {
    const name = names.find((candidate) => tomlKey(candidate) === key)
    if (name === undefined) {
      throw new ConfigError(`${path}: unknown setting "${key}"${suggestion(key, names.map(tomlKey))}`)
    }
    found.set(name, parseValue(name, value, `${path}: ${key}`))
  }
  return found
}

function parseToml(path: string): object {
  try {
    return Bun.TOML.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError(`${path} can not be read: ${reason}`)
  }
}

/** A value of a flag, a variable (both text) or a TOML file (its own types) as the setting's type. */
function parseValue(name: SettingName, value: unknown, where: string): Value {
  const type: SettingType = settings[name]
  const parsed = asKind(type, value)
  if (parsed === undefined) {
    const shown = typeof value === 'string' ? `"${value}"` : JSON.stringify(value)
    throw new ConfigError(`${where} must be ${allowedText(type)}, not ${shown}`)
  }
  return parsed
}

function asKind(type: SettingType, value: unknown): Value | undefined {
  switch (type.kind) {
    case 'text':
    case 'path':
      return typeof value === 'string' && !/[\0\n\r]/.test(value) ? expandHome(type, value) : undefined
    case 'url':
      return typeof value === 'string' && /^https?:\/\/[^\s/?#]+[^\s?#]*$/.test(value) ? value : undefined
    case 'choice':
      return typeof value === 'string' && type.choices.includes(value) ? value : undefined
    case 'switch':
      if (typeof value === 'boolean') return value
      return value === 'true' || value === '1' ? true : value === 'false' || value === '0' ? false : undefined
    case 'integer': {
      const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
      const fits =
        typeof number === 'number' && Number.isSafeInteger(number) && number >= type.min && number <= type.max
      return fits ? number : undefined
    }
  }
}

function expandHome(type: SettingType, value: string): string {
  return type.kind === 'path' && value.startsWith('~/') ? join(homedir(), value.slice(2)) : value
}

function fallbackOf(name: SettingName): Value | undefined {
  const { fallback }: SettingType = settings[name]
  return fallback === undefined ? undefined : parseValue(name, fallback, `default of ${name}`)
}

function defaultDataDir(environment: ConfigSources['environment']): string {
  const system = '/var/lib/inferd'
  if (process.getuid?.() === 0 && existsSync(system)) return system
  return join(environment.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'inferd')
}

function allowedText(type: SettingType): string {
  switch (type.kind) {
    case 'text':
      return 'text'
    case 'path':
      return 'a path'
    case 'url':
      return 'an http:// or https:// URL'
    case 'choice':
      return type.choices
        .slice(0, -1)
        .join(', ')
        .concat(' or ', type.choices.at(-1) ?? '')
    case 'switch':
      return 'true or false'
    case 'integer':
      return `a whole number from ${type.min} to ${type.max}`
  }
}

function placeholder(type: SettingType): string {
  if (type.kind === 'integer') return 'n'
  return type.kind === 'choice' ? type.choices.join('|') : type.kind
}

function environmentName(name: SettingName): string {
  return environmentPrefix + name.toUpperCase().replaceAll('-', '_')
}

function tomlKey(name: SettingName): string {
  return name.replaceAll('-', '_')
}

function deepFreeze(config: Config): Config {
  Object.freeze(config.engine)
  return Object.freeze(config)
}
