/** Kinds of settings: what a value may be, as text (flags, variables) and in TOML's own types. */
import { isIP } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { domainToASCII } from 'node:url'
import { decimalToNano, nanoToDecimal, usdToNano } from './core/money.ts'
import { unreachable } from './core/unreachable.ts'

export type SettingKind =
  | { readonly kind: 'text' | 'path' | 'url' | 'mailbox' }
  | { readonly kind: 'switch' }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  /** Exact decimal text, 0 or more. */
  | { readonly kind: 'usd' }
  /** Comma separated in text, lists in TOML. */
  | { readonly kind: 'networks' | 'domains' | 'hosts' }

export type SettingType = SettingKind & {
  /** As people would write it; undefined: none, or found out at start (`defaultText` then says how). */
  readonly fallback?: string | undefined
  readonly defaultText?: string
  readonly help: string
  /** Shown to nobody. */
  readonly isSecret?: boolean
}

export type SettingValue = string | number | boolean | readonly string[]

/** A value of a flag or variable (text) or of a TOML file (its own types) as the setting's type; undefined: not allowed. */
export function asKind(type: SettingType, value: unknown): SettingValue | undefined {
  switch (type.kind) {
    case 'text':
    case 'path':
      return isLine(value) ? expandHome(type, value) : undefined
    case 'url':
      return typeof value === 'string' && /^https?:\/\/[^\s/?#]+\/?$/.test(value) ? value : undefined
    case 'mailbox':
      return isLine(value) && /^([^<>@",;]+ <[^\s<>@,;]+@[^\s<>@,;]+>|[^\s<>@,;]+@[^\s<>@,;]+)$/.test(value)
        ? value
        : undefined
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
    case 'usd':
      return asUsd(value)
    case 'networks':
      return asList(value, asNetwork)
    case 'domains':
      return asList(value, asDomain)
    case 'hosts':
      return asList(value, asHost)
    default:
      return unreachable(type)
  }
}

/** Completes "… must be". */
export function allowedText(type: SettingType): string {
  switch (type.kind) {
    case 'text':
      return 'one line of text'
    case 'path':
      return 'a path'
    case 'url':
      return 'http:// or https:// and an address'
    case 'mailbox':
      return 'a mail address, or a name and <a mail address>'
    case 'choice':
      return type.choices
        .slice(0, -1)
        .join(', ')
        .concat(' or ', type.choices.at(-1) ?? '')
    case 'switch':
      return 'true or false'
    case 'integer':
      return `a whole number from ${type.min} to ${type.max}`
    case 'usd':
      return 'an amount in USD such as 1 or 0.5'
    case 'networks':
      return 'IP addresses and networks such as 10.0.0.0/8, separated by commas'
    case 'domains':
      return 'domain names, separated by commas'
    case 'hosts':
      return 'host names without ports, separated by commas'
    default:
      return unreachable(type)
  }
}

export function placeholder(type: SettingType): string {
  if (type.kind === 'integer') return 'n'
  return type.kind === 'choice' ? type.choices.join('|') : type.kind
}

function isLine(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !/[\0\n\r]/.test(value)
}

function expandHome(type: SettingType, value: string): string {
  return type.kind === 'path' && value.startsWith('~/') ? join(homedir(), value.slice(2)) : value
}

const mostUsd = 1_000_000

function asUsd(value: unknown): string | undefined {
  const isNumber = typeof value === 'number' && value >= 0 && value <= mostUsd
  const nano = typeof value === 'string' ? decimalToNano(value) : isNumber ? usdToNano(value) : undefined
  const fits = nano !== undefined && nano >= 0 && nano <= usdToNano(mostUsd)
  return fits ? nanoToDecimal(nano) : undefined
}

function asList(value: unknown, asPart: (text: string) => string | undefined): readonly string[] | undefined {
  const parts: readonly unknown[] | undefined =
    typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : undefined
  const read = parts?.map((part) => (typeof part === 'string' ? asPart(part.trim()) : undefined))
  return read?.every((part) => part !== undefined) ? Object.freeze(read) : undefined
}

/** An address stands for itself alone. */
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

/** Names of a local network are allowed too, with underscores, which containers use. */
function asHost(text: string): string | undefined {
  const ascii = domainToASCII(text).toLowerCase()
  return ascii.length <= 253 && /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(ascii) ? ascii : undefined
}
