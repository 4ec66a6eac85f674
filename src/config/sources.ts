/**
 * Sources of settings. Flags win over the environment, the environment over the TOML file, the file over the default. A
 * setting `batch-tokens` is the flag `--batch-tokens`, the variable `INFERD_BATCH_TOKENS` and the key `batch_tokens`.
 * Nothing else in the program reads the environment.
 */
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { errorText } from '../core/error-text.ts'
import type { IdentityProvider } from '../core/identity-provider.ts'
import type { PriceOverride, SettingsOverride } from '../core/model.ts'
import { nearest } from '../core/nearest.ts'
import { keyHint, type SettingValue, tomlKey } from '../core/setting.ts'
import type { Webhook } from '../core/webhook.ts'
import { ConfigError, type ConfigRow, readValue } from './kinds.ts'
import { readModels } from './models.ts'
import { isSecretVariable, readProviders } from './oidc.ts'
import { readPrices } from './prices.ts'
import { environmentName, environmentPrefix, type SettingName, settingNames, settings } from './settings.ts'
import { readWebhooks, webhookSecretVariable } from './webhooks.ts'

export interface ConfigSources {
  /** Typed values by setting name. `config` names the TOML file. */
  readonly flags: Readonly<Record<string, string | boolean | undefined>>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Text that takes the place of the TOML file's, to check it before it is written. */
  readonly fileText?: string | undefined
}

interface ResolvedSetting {
  readonly value: SettingValue | undefined
  /** Source: `--port`, `INFERD_PORT`, a file's path or `default`. */
  readonly source: string
}

export interface ReadSettings {
  /** Every setting's value and source. */
  readonly resolved: Readonly<Record<SettingName, ResolvedSetting>>
  /** Path of the TOML file. Undefined if there is none. */
  readonly file: string | undefined
  /** Prices by canonical model id, only from the file. */
  readonly prices: ReadonlyMap<string, PriceOverride>
  readonly models: ReadonlyMap<string, SettingsOverride>
  /** Receivers of events, only from the file. */
  readonly webhooks: readonly Webhook[]
  /** Identity providers by name, only from the file. */
  readonly providers: ReadonlyMap<string, IdentityProvider>
}

const configVariable = `${environmentPrefix}CONFIG`

/** Variables of commands that use another server: its address, and an API key. */
export const serverVariables = { url: `${environmentPrefix}URL`, key: `${environmentPrefix}KEY` } as const

/** Returns the process's environment. */
export function processEnvironment(): ConfigSources['environment'] {
  return process.env
}

/** Reads and checks the settings. Throws ConfigError that names the flag, variable or key. */
export function readSettings({ flags, environment, fileText }: ConfigSources): ReadSettings {
  const fromFlags = readSaid((name) => [flags[name] === false ? `--no-${name}` : `--${name}`, flags[name]])
  // Empty means unset: a shell unsets a variable for one command by `INFERD_PORT= inferd`.
  const fromEnvironment = readSaid((name) => [environmentName(name), environment[environmentName(name)] || undefined])
  if (flags.config === '') throw new ConfigError('--config must be a path, not ""')
  const named = flags.config ?? (environment[configVariable] || undefined)
  let fromFile = typeof named === 'string' ? readFile(resolve(named), { text: fileText, environment }) : emptyFile
  const pick = (name: SettingName) =>
    fromFlags.get(name) ?? fromEnvironment.get(name) ?? fromFile.found.get(name) ?? fallbackOf(name)

  const data = pick('data')
  const dataDir = resolve(String(data.value ?? defaultDataDir(environment)))
  const defaultFile = join(dataDir, 'config.toml')
  if (named === undefined && (fileText !== undefined || existsSync(defaultFile))) {
    fromFile = readFile(defaultFile, { text: fileText, environment })
    if (fromFile.found.has('data')) {
      throw new ConfigError(`${defaultFile}: data cannot be set by the file inside that folder`)
    }
  }
  const rows = settingNames.map((name) => [name, name === 'data' ? { ...data, value: dataDir } : pick(name)])
  const { file, prices, models, providers, webhooks } = fromFile
  // fromEntries loses the key types.
  return { resolved: Object.fromEntries(rows) as ReadSettings['resolved'], file, prices, models, providers, webhooks }
}

type Found = Map<SettingName, ResolvedSetting>

/** Returns the settings in one source, by their names there. */
function readSaid(said: (name: SettingName) => readonly [source: string, value: unknown]): Found {
  const found: Found = new Map()
  for (const name of settingNames) {
    const [source, value] = said(name)
    if (value !== undefined) found.set(name, { value: readValue(settings[name], value, source), source })
  }
  return found
}

type SettingsFile = Omit<ReadSettings, 'resolved'> & { readonly found: Found }

const emptyFile: SettingsFile = {
  file: undefined,
  found: new Map(),
  prices: Object.freeze(new Map()),
  models: Object.freeze(new Map()),
  providers: Object.freeze(new Map()),
  webhooks: Object.freeze([]),
}

function readFile(
  file: string,
  { text, environment }: { readonly text: string | undefined; readonly environment: ConfigSources['environment'] },
): SettingsFile {
  const byKey = new Map(settingNames.map((name) => [tomlKey(name), name]))
  const found: Found = new Map()
  const { prices = {}, models = {}, oidc = {}, webhooks = [], ...toml } = parseToml(file, text)
  for (const [key, value] of Object.entries(toml)) {
    const name = byKey.get(key)
    if (name === undefined)
      throw new ConfigError(
        `${file}: unknown setting "${key}"${keyHint(key, [...byKey.keys(), 'prices', 'models', 'oidc', 'webhooks'])}`,
      )
    found.set(name, { value: readValue(settings[name], value, `${file}: ${key}`), source: file })
  }
  return {
    ...{ file, found, prices: readPrices(prices, file), models: readModels(models, file) },
    providers: readProviders(oidc, file, environment),
    webhooks: readWebhooks({ toml: webhooks, file, environment }),
  }
}

function parseToml(file: string, text: string | undefined): Record<string, unknown> {
  try {
    return { ...Bun.TOML.parse(text ?? readFileSync(file, 'utf8')) }
  } catch (error) {
    const reason = errorText(error)
    throw new ConfigError(`${file} cannot be read: ${reason}`)
  }
}

function fallbackOf(name: SettingName): ResolvedSetting {
  const row: ConfigRow = settings[name]
  const value = row.fallback === undefined ? undefined : readValue(row, row.fallback, `the default of ${name}`)
  return { value, source: 'default' }
}

/** Returns the default data folder. */
export function defaultDataDir(environment: ConfigSources['environment']): string {
  const system = '/var/lib/inferd'
  if (process.getuid?.() === 0 && existsSync(system)) return system
  return join(environment.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'inferd')
}

/**
 * Returns a warning per variable that has our prefix but is not a setting. Not an error, unlike an unknown key or flag:
 * an environment is shared with other programs and scripts, which may use the prefix too.
 */
export function variableWarnings(environment: ConfigSources['environment']): string[] {
  const known = [...settingNames.map(environmentName), configVariable, ...Object.values(serverVariables)]
  return Object.entries(environment)
    .filter(([variable, value]) => variable.startsWith(environmentPrefix) && value && !known.includes(variable))
    .filter(([variable]) => !webhookSecretVariable.test(variable) && !isSecretVariable(variable))
    .map(([variable]) => {
      const match = nearest(variable, known)
      const hint = match === undefined ? '' : ` (did you mean "${match}"?)`
      return `the environment variable ${variable} is no setting and has no effect${hint}`
    })
}
