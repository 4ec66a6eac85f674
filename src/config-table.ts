/** The table of settings: what there is, what is allowed, what happens when nobody says anything. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { unreachable } from './core/unreachable.ts'

export type SettingKind =
  | { readonly kind: 'text' | 'path' | 'url' }
  | { readonly kind: 'switch' }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }

export type SettingType = SettingKind & {
  /** As people would write it; undefined: none, or found out at start (`defaultText` then says how). */
  readonly fallback?: string | undefined
  readonly defaultText?: string
  readonly help: string
}

export type SettingValue = string | number | boolean

const maximumTokens = 16_777_216

/** In the order in which people see them. Types and defaults here, the meaning of each in `Config`. */
export const settings = {
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
  'request-tokens': {
    kind: 'integer',
    min: 0,
    max: maximumTokens,
    fallback: '0',
    help: 'Longest prompt and answer of one request together; 0: as long as the model and its KV cache allow',
  },
  'max-waiting': {
    kind: 'integer',
    min: 1,
    max: 65_536,
    fallback: '512',
    help: 'Most requests that wait for a model; one more is refused',
  },
  'prefix-cache-mb': {
    kind: 'integer',
    min: 0,
    max: 1_048_576,
    fallback: '1024',
    help: 'Memory of a model for the prompts of earlier requests; 0: none is kept',
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

export const settingNames = Object.keys(settings) as SettingName[] // Object.keys forgets the key type of a constant

export const environmentPrefix = 'INFERD_'

/** A value of a flag or variable (text) or of a TOML file (its own types) as the setting's type; undefined: not allowed. */
export function asKind(type: SettingType, value: unknown): SettingValue | undefined {
  switch (type.kind) {
    case 'text':
    case 'path':
      return typeof value === 'string' && value !== '' && !/[\0\n\r]/.test(value) ? expandHome(type, value) : undefined
    case 'url':
      return typeof value === 'string' && /^https?:\/\/[^\s/?#]+\/?$/.test(value) ? value : undefined
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
    default:
      return unreachable(type)
  }
}

function expandHome(type: SettingType, value: string): string {
  return type.kind === 'path' && value.startsWith('~/') ? join(homedir(), value.slice(2)) : value
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
    case 'choice':
      return type.choices
        .slice(0, -1)
        .join(', ')
        .concat(' or ', type.choices.at(-1) ?? '')
    case 'switch':
      return 'true or false'
    case 'integer':
      return `a whole number from ${type.min} to ${type.max}`
    default:
      return unreachable(type)
  }
}

export function placeholder(type: SettingType): string {
  if (type.kind === 'integer') return 'n'
  return type.kind === 'choice' ? type.choices.join('|') : type.kind
}

export function environmentName(name: SettingName): string {
  return environmentPrefix + name.toUpperCase().replaceAll('-', '_')
}

export function tomlKey(name: SettingName): string {
  return name.replaceAll('-', '_')
}
