/** Kinds of settings: permitted values as text (flags, variables) and as TOML types. */
import { isIP } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { domainToASCII } from 'node:url'
import { endpointNames } from '../core/endpoint-names.ts'
import { decimalToNano, nanoToDecimal, usdToNano } from '../core/money.ts'
import {
  asBasicKind,
  type BasicKind,
  basicKindText,
  type ListKind,
  type SettingRow,
  type SettingValue,
} from '../core/setting.ts'

type Kind =
  | BasicKind
  | { readonly kind: 'text' | 'path' | 'url' | 'address' | 'mailbox' | 'syslog' | 'headers' }
  /** Exact decimal text, 0 or more. */
  | { readonly kind: 'usd' }
  /** Comma-separated in text, lists in TOML. */
  | { readonly kind: ListKind }

export type ConfigRow = SettingRow<Kind>

/** Error of an unknown setting or an invalid value. The message names its place and the permitted values. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/**
 * Returns the value as the setting's type. Throws ConfigError, whose message begins with `where`, if it is not allowed.
 */
export function readValue(row: ConfigRow, value: unknown, where: string): SettingValue {
  const read = asKind(row, value)
  if (read !== undefined) return read
  const mayHoldPassword = row.kind === 'address' && /[@?]/.test(String(value))
  if (row.isSecret === true || mayHoldPassword) throw new ConfigError(`${where} must be ${allowedText(row)}`)
  const shown = typeof value === 'string' ? `"${value}"` : JSON.stringify(value)
  throw new ConfigError(`${where} must be ${allowedText(row)}, not ${shown}`)
}

function asKind(row: ConfigRow, value: unknown): SettingValue | undefined {
  switch (row.kind) {
    case 'text':
      return isLine(value) ? value : undefined
    case 'path':
      if (!isLine(value)) return undefined
      return value.startsWith('~/') ? join(homedir(), value.slice(2)) : value
    case 'url':
      return typeof value === 'string' && /^https?:\/\/[^\s/?#]+\/?$/.test(value) ? value : undefined
    case 'address':
      return typeof value === 'string' && /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/.test(value) && URL.canParse(value)
        ? value
        : undefined
    case 'mailbox':
      return isLine(value) && /^([^<>@",;]+ <[^\s<>@,;]+@[^\s<>@,;]+>|[^\s<>@,;]+@[^\s<>@,;]+)$/.test(value)
        ? value
        : undefined
    case 'syslog':
      return typeof value === 'string' && /^(udp|tcp|tls):\/\/[^\s/?#@]+$/.test(value) && URL.canParse(value)
        ? value
        : undefined
    case 'headers':
      return isLine(value) && readHeaders(value) !== undefined ? value : undefined
    case 'usd':
      return asUsd(value)
    case 'networks':
      return asList(value, asNetwork)
    case 'domains':
      return asList(value, asDomain)
    case 'hosts':
      return asList(value, asHost)
    case 'keys':
      return asList(value, asPublicKey)
    case 'origins':
      return asList(value, asOrigin)
    case 'signals':
      return asList(value, (text) => (['logs', 'metrics', 'traces'].includes(text) ? text : undefined))
    case 'endpoints':
      return asList(value, (text) => endpointNames.find((name) => name === text))
    case 'models':
    case 'groups':
      return asList(value, (text) => (isLine(text) ? text : undefined))
    default:
      return asBasicKind(row, value)
  }
}

const texts = {
  text: 'one line of text',
  path: 'a path',
  url: 'http:// or https:// and an address',
  address: 'an address that begins with http:// or https://, without a user name or a query',
  mailbox: 'a mail address, or a name and <a mail address>',
  syslog: 'an address such as udp://10.0.0.7:514, tcp://log.example or tls://log.example:6514',
  headers: 'headers such as name=value, separated by commas, with percent signs as in addresses',
  usd: 'an amount in USD such as 1 or 0.5',
  networks: 'IP addresses and networks such as 10.0.0.0/8, separated by commas',
  domains: 'domain names, separated by commas',
  hosts: 'host names without ports, separated by commas',
  keys: 'public keys of minisign, 56 characters that begin with RW, separated by commas',
  models: 'ids or aliases of models, separated by commas',
  endpoints: `a list of names of endpoints: ${endpointNames.join(', ')}`,
  groups: 'a list of names of groups, such as ["staff", "guests"]',
  signals: 'logs, metrics and traces, separated by commas',
  origins: 'origins such as http://localhost:3000 or app://obsidian.md, without a path, separated by commas',
} as const satisfies Record<Exclude<Kind, BasicKind>['kind'], string>

/** Returns the end of "… must be". */
export function allowedText(row: ConfigRow): string {
  return isOtherKind(row) ? texts[row.kind] : basicKindText(row)
}

function isOtherKind(row: ConfigRow): row is Extract<ConfigRow, { kind: keyof typeof texts }> {
  return Object.hasOwn(texts, row.kind)
}

const listKinds: Readonly<Record<ListKind, true>> = {
  networks: true,
  domains: true,
  hosts: true,
  models: true,
  keys: true,
  origins: true,
  endpoints: true,
  groups: true,
  signals: true,
}

export function isListKind(kind: string): boolean {
  return Object.hasOwn(listKinds, kind)
}

/**
 * Returns headers written as OpenTelemetry's tools take them; undefined if a name or a value is not allowed in a header.
 */
export function readHeaders(text: string): Readonly<Record<string, string>> | undefined {
  const headers: Record<string, string> = {}
  for (const part of text.split(',')) {
    const [, name, written] = /^\s*([!#$%&'*+.^_`|~\w-]+)=(.*?)\s*$/.exec(part) ?? []
    if (name === undefined || written === undefined) return undefined
    const value = decoded(written)
    if (value === undefined || !/^[\t\x20-\x7e]*$/.test(value)) return undefined
    headers[name.toLowerCase()] = value
  }
  return headers
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function isLine(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !/[\0\n\r]/.test(value)
}

const maximumUsd = 1_000_000

function asUsd(value: unknown): string | undefined {
  const isNumber = typeof value === 'number' && value >= 0 && value <= maximumUsd
  const nano = typeof value === 'string' ? decimalToNano(value) : isNumber ? usdToNano(value) : undefined
  const fits = nano !== undefined && nano >= 0 && nano <= usdToNano(maximumUsd)
  return fits ? nanoToDecimal(nano) : undefined
}

function asList(value: unknown, asPart: (text: string) => string | undefined): readonly string[] | undefined {
  const parts: readonly unknown[] | undefined =
    typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : undefined
  const read = parts?.map((part) => (typeof part === 'string' ? asPart(part.trim()) : undefined))
  return read?.every((part) => part !== undefined) ? Object.freeze(read) : undefined
}

/** Validates a network. An address is a network of one. */
function asNetwork(text: string): string | undefined {
  const [, address = '', bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  if (version === 0) return undefined
  return bits === undefined || Number(bits) <= (version === 4 ? 32 : 128) ? text : undefined
}

function asDomain(text: string): string | undefined {
  const ascii = domainToASCII(text).toLowerCase()
  const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
  return ascii.length <= 253 && new RegExp(`^(${label}\\.)+${label}$`).test(ascii) ? ascii : undefined
}

/** Allows names of local networks too, with underscores, which containers use. */
function asHost(text: string): string | undefined {
  const ascii = domainToASCII(text).toLowerCase()
  return ascii.length <= 253 && /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(ascii) ? ascii : undefined
}

/** Returns an origin as browsers send it. Refuses `null`, which any file and any sandbox sends. */
function asOrigin(text: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+(:\d{1,5})?$/.test(text) ? text : undefined
}

/** Returns a public key of minisign: 42 bytes that begin with `Ed`, in base64. */
function asPublicKey(text: string): string | undefined {
  return /^RW[A-Za-z0-9+/]{54}$/.test(text) ? text : undefined
}
