/** Settings of a server in the form that the program uses, from the table of `settings.ts`. */
import packageJson from '../../package.json' with { type: 'json' }
import { decimalToNano } from '../core/money.ts'
import { type SettingValues, tomlKey, type Values, valueName } from '../core/setting.ts'
import { loaderFolder } from '../nvidia/own-folder.ts'
import { ConfigError, isListKind } from './kinds.ts'
import { environmentName, type SettingName, settingNames, settings } from './settings.ts'
import { type ConfigSources, type ReadSettings, readSettings } from './sources.ts'

/** Version of the program. */
export const version: string = packageJson.version

/** Versions of native libraries whose packages declare one. */
export const libraryVersions = {
  'ONNX Runtime': packageJson.dependencies['onnxruntime-node'],
  'sherpa-onnx': packageJson.dependencies['sherpa-onnx-linux-x64'],
} as const

type SettingsByName = Values<typeof settings>

/** Every setting by its name in camel case, and values derived from several. */
export interface Config extends SettingsByName {
  /** Absolute path of the data folder. */
  readonly data: string
  /** Rules for signup. */
  readonly accounts: {
    readonly isSignupOpen: boolean
    readonly localSignIn: SettingsByName['localSignIn']
    readonly starterCreditNanoUsd: number
    /** Limits per network and day. */
    readonly signupLimits: { readonly accounts: number; readonly tries: number }
    readonly blockedEmailDomains: readonly string[]
    readonly sendsMail: boolean
  }
  /** Mail server. Undefined lets mails wait in the outbox. */
  readonly mail: MailConfig | undefined
  readonly file: ReadSettings['file']
  /** Every setting with its source. */
  readonly resolved: ReadSettings['resolved']
  readonly prices: ReadSettings['prices']
  readonly models: ReadSettings['models']
  readonly webhooks: ReadSettings['webhooks']
  readonly providers: ReadSettings['providers']
  /** Environment of engine processes. They get no other variables. */
  readonly engineEnvironment: Readonly<Record<string, string>>
}

interface MailConfig {
  readonly host: string
  readonly port: number
  readonly security: SettingsByName['smtpSecurity']
  /** User name, set together with `password` or not at all. */
  readonly user: string | undefined
  readonly password: string | undefined
  /** Sender: `Name <address>` or only an address. */
  readonly from: string
}

/** Variables that show graphics drivers and the loader where their files are. */
const engineVariables = [
  'LD_LIBRARY_PATH',
  'CUDA_VISIBLE_DEVICES',
  'GGML_VK_VISIBLE_DEVICES',
  'VK_DRIVER_FILES',
  'VK_ICD_FILENAMES',
  'XDG_DATA_DIRS',
]

/** Reads, checks and freezes the settings. Throws ConfigError that names the flag, variable or key. */
export function loadConfig(sources: ConfigSources): Config {
  const { resolved, ...file } = readSettings(sources)
  const values = valuesOf(resolved)
  const mail = mailConfig(values, resolved)
  requireTls(values, resolved)
  return Object.freeze({
    ...values,
    data: values.data ?? '',
    publicUrl: values.publicUrl?.replace(/\/$/, ''),
    accounts: Object.freeze({
      // Who signs up signs in by a password or a mailed link.
      isSignupOpen: values.signup && values.localSignIn === 'all',
      localSignIn: values.localSignIn,
      starterCreditNanoUsd: decimalToNano(values.starterCreditUsd) ?? 0,
      signupLimits: { accounts: values.signupLimit, tries: values.signupTries },
      blockedEmailDomains: values.blockedEmailDomains,
      sendsMail: mail !== undefined,
    }),
    mail,
    resolved: Object.freeze(resolved),
    ...file,
    engineEnvironment: Object.freeze(engineEnvironment(values.data ?? '', sources.environment)),
  })
}

/**
 * Returns the environment of engines. ONNX Runtime's CUDA provider finds NVIDIA's libraries only by the loader's path,
 * which a process reads at its start. The folder may be created later.
 */
function engineEnvironment(dataDir: string, environment: ConfigSources['environment']): Record<string, string> {
  const passed = engineVariables.flatMap((name) => {
    const value = environment[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const loaderPath = [loaderFolder(dataDir), environment.LD_LIBRARY_PATH].filter((path) => path).join(':')
  return { ...Object.fromEntries(passed), LD_LIBRARY_PATH: loaderPath }
}

/** Returns the values, each already checked against its row, which has its type. */
function valuesOf(resolved: ReadSettings['resolved']): SettingsByName {
  const values: SettingValues = Object.fromEntries(
    settingNames.map((name) => {
      const row = settings[name]
      return [valueName(name, row), resolved[name].value ?? (isListKind(row.kind) ? Object.freeze([]) : undefined)]
    }),
  )
  return values as SettingsByName
}

function mailConfig(values: SettingsByName, resolved: ReadSettings['resolved']): MailConfig | undefined {
  const { smtpHost: host, mailFrom: from, smtpUser: user, smtpPassword: password } = values
  if (host === undefined) return undefined
  if (from === undefined) throw needs(resolved, 'smtp-host', 'mail-from')
  if (user !== undefined && password === undefined) throw needs(resolved, 'smtp-user', 'smtp-password')
  if (password !== undefined && user === undefined) throw needs(resolved, 'smtp-password', 'smtp-user')
  return Object.freeze({ host, port: values.smtpPort, security: values.smtpSecurity, user, password, from })
}

/** Throws ConfigError if a setting of TLS lacks what it needs. */
function requireTls(values: SettingsByName, resolved: ReadSettings['resolved']): void {
  const { tls, publicUrl } = values
  if (tls === 'off') return
  if (tls === 'files' && values.tlsCert === undefined) throw needs(resolved, 'tls', 'tls-cert')
  if (tls === 'files' && values.tlsKey === undefined) throw needs(resolved, 'tls', 'tls-key')
  if (publicUrl?.startsWith('http:'))
    throw new ConfigError(`public-url must begin with https:// where tls is ${tls}, not "${publicUrl}"`)
  if (tls !== 'acme') return
  if (values.acmeNames.length === 0 && publicUrl === undefined) throw needs(resolved, 'tls', 'acme-names')
  if (!values.acmeAgreeTerms) throw needs(resolved, 'tls', 'acme-agree-terms')
}

/**
 * Returns the error of a setting that needs another one. Names the given one by its source, the missing one by flag and
 * variable.
 */
function needs(resolved: ReadSettings['resolved'], name: SettingName, missing: SettingName): ConfigError {
  const { source } = resolved[name]
  const where = source.includes('/') ? `${source}: ${tomlKey(name)}` : source
  return new ConfigError(`${where} needs --${missing} (${environmentName(missing)}) as well`)
}
