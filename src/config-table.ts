/** The table of settings: what there is, what is allowed, what happens when nobody says anything. */
import type { SettingType } from './config-kinds.ts'

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
  'allowed-hosts': {
    kind: 'hosts',
    help: 'Names of this server for its dashboard and signup, beside IP addresses, localhost, its own name and public-url',
  },
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
  'response-items-minutes': {
    kind: 'integer',
    min: 0,
    max: 1440,
    fallback: '60',
    help: 'How long requests may refer to items of earlier responses, kept in memory; 0: none is kept',
  },
  'idle-timeout-seconds': {
    kind: 'integer',
    min: 5,
    max: 255,
    fallback: '120',
    help: 'A connection is closed after this long without a byte in either direction, unless a model works for it',
  },
  preload: { kind: 'text', help: 'Id or alias of a model to load at start instead of at its first request' },
  'list-models': {
    kind: 'choice',
    choices: ['all', 'installed'],
    fallback: 'all',
    help: 'What GET /v1/models lists: the whole catalog, or only what is on this disk',
  },
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
    help: 'Most chats that wait for a model; one account may have as many waiting as places are free',
  },
  'prefix-cache-mb': {
    kind: 'integer',
    min: 0,
    max: 1_048_576,
    fallback: '1024',
    help: 'Memory of a model for the prompts of earlier requests; 0: every request computes its whole prompt',
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
  signup: { kind: 'switch', fallback: 'true', help: 'Anybody who reaches the server may make an account' },
  'starter-credit-usd': {
    kind: 'usd',
    fallback: '1',
    help: 'Added to an account when its mail address is confirmed; 0: nothing',
  },
  'hold-tokens': {
    kind: 'integer',
    min: 1,
    max: 65_536,
    fallback: '256',
    help: 'Output tokens paid for ahead, and again each time, where a request names no limit',
  },
  'blocked-email-domains': { kind: 'domains', help: 'No signup from these, beside those of the shipped list' },
  'trusted-proxies': { kind: 'networks', help: 'Proxies whose X-Forwarded-For is believed' },
  'smtp-host': { kind: 'text', help: 'Server that takes our mails; none: they wait in the outbox (inferd outbox)' },
  'smtp-port': { kind: 'integer', min: 1, max: 65_535, fallback: '587', help: 'Its port' },
  'smtp-security': {
    kind: 'choice',
    choices: ['starttls', 'tls', 'none'],
    fallback: 'starttls',
    help: 'tls: from the first byte (port 465); starttls: mails leave encrypted or not at all; none: in clear',
  },
  'smtp-user': { kind: 'text', help: 'Name to sign in with; none: without signing in' },
  'smtp-password': { kind: 'text', isSecret: true, help: 'Its password; better in the environment than in a flag' },
  'mail-from': { kind: 'mailbox', help: 'Sender of our mails; needed with smtp-host' },
} as const satisfies Record<string, SettingType>

export type SettingName = keyof typeof settings

export const settingNames = Object.keys(settings) as SettingName[] // Object.keys forgets the key type of a constant

export const environmentPrefix = 'INFERD_'

export function environmentName(name: SettingName): string {
  return environmentPrefix + name.toUpperCase().replaceAll('-', '_')
}

export function tomlKey(name: SettingName): string {
  return name.replaceAll('-', '_')
}
