/** Table of settings: names, allowed values, defaults and help. */
import { tomlKey } from '../core/setting.ts'
import { requestTexts } from '../core/texts.ts'
import { engineSettings } from '../engines/engine-table.ts'
import { allowedText, type ConfigRow } from './kinds.ts'

const addressSettings = {
  data: {
    kind: 'path',
    isByHand: true,
    defaultText: '/var/lib/inferd for root where it exists, else ~/.local/share/inferd',
    help: 'Folder of the database, models and everything else that is kept',
  },
  host: { kind: 'text', isGuarded: true, fallback: '127.0.0.1', help: 'Address to listen on; 0.0.0.0 for all of IPv4' },
  port: { kind: 'integer', min: 0, max: 65_535, fallback: '11500', help: 'Port to listen on; 0 picks a free one' },
  'public-url': { kind: 'url', isGuarded: true, help: 'How clients reach this server, for links in answers' },
  'allowed-hosts': {
    kind: 'hosts',
    isGuarded: true,
    help: 'Names of this server for its dashboard and signup, beside IP addresses, localhost, its own name and public-url',
  },
  admin: {
    kind: 'choice',
    isGuarded: true,
    choices: ['loopback', 'network', 'off'],
    fallback: 'loopback',
    help: "Who reaches the operator's pages: this machine, every machine that reaches the server, or nobody",
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
  'log-upstream-text': {
    kind: 'switch',
    fallback: 'true',
    help: 'Log up to 300 characters of what upstream servers say about failures, in which they may quote prompts',
  },
  'restart-status': {
    kind: 'integer',
    min: 1,
    max: 255,
    isByHand: true,
    help: 'Exit status after which a service manager starts inferd again, for restarts by the System page',
  },
} as const satisfies Record<string, ConfigRow>

const tlsSettings = {
  tls: {
    kind: 'choice',
    isGuarded: true,
    choices: ['off', 'files', 'own-ca', 'acme'],
    fallback: 'off',
    help: 'files: TLS with tls-cert and tls-key; own-ca: with certificates of an own authority; acme: of a public one',
  },
  'tls-cert': {
    kind: 'path',
    isByHand: true,
    help: 'Certificate and its chain (PEM) for tls = files, read again when it changes',
  },
  'tls-key': { kind: 'path', isByHand: true, help: 'Its private key (PEM), without a passphrase' },
  'http-port': {
    kind: 'integer',
    min: 0,
    max: 65_535,
    defaultText: '80 for acme-challenge = http-01, else none',
    help: 'Port without TLS that sends browsers to the encrypted one, refuses programs, and answers http-01',
  },
  'local-http': {
    kind: 'switch',
    isGuarded: true,
    fallback: 'true',
    help: 'Beside TLS, serve programs of this machine without it too, at 127.0.0.1 and ::1 of the same port',
  },
  'hsts-days': {
    kind: 'integer',
    min: 0,
    max: 730,
    fallback: '0',
    help: 'How long browsers that came by TLS refuse to come without it (HSTS); 0: not told',
  },
  'acme-directory': {
    kind: 'address',
    isGuarded: true,
    fallback: 'https://acme-v02.api.letsencrypt.org/directory',
    help: 'Directory of the authority for tls = acme',
  },
  'acme-agree-terms': {
    kind: 'switch',
    isGuarded: true,
    fallback: 'false',
    help: "The operator agrees to that authority's terms of service; tls = acme needs it",
  },
  'acme-mail': { kind: 'mailbox', isGuarded: true, help: 'Address that the authority may write to; none: not told' },
  'acme-names': {
    kind: 'hosts',
    isGuarded: true,
    defaultText: 'the host of public-url',
    help: 'Names, and public IPv4 addresses, that the certificate is for',
  },
  'acme-challenge': {
    kind: 'choice',
    choices: ['http-01', 'tls-alpn-01'],
    fallback: 'http-01',
    help: 'How the authority checks these: by port 80 without TLS, or by port 443 with it',
  },
  'acme-ca': {
    kind: 'path',
    isByHand: true,
    help: "Certificates (PEM) by which the authority's own server is trusted",
  },
} as const satisfies Record<string, ConfigRow>

const requestSettings = {
  'body-limit-mb': {
    kind: 'integer',
    min: 1,
    max: 1024,
    fallback: '64',
    help: 'Largest JSON request body in MB (images are part of it)',
  },
  'image-limit': { kind: 'size', fallback: '20MB', help: 'Largest picture in a chat, as a file' },
  'image-side-pixels': {
    kind: 'integer',
    min: 1,
    max: 65_535,
    fallback: '16384',
    help: 'Largest width and height of a picture',
  },
  'image-megapixels': {
    kind: 'integer',
    min: 1,
    max: 200,
    fallback: '40',
    help: 'Largest picture in millions of pixels, each of which takes up to 24 bytes of memory while it is decoded',
  },
  'images-per-request': {
    kind: 'integer',
    min: 1,
    max: 1000,
    fallback: '100',
    help: 'Largest number of pictures in a request',
  },
  'image-urls': {
    kind: 'switch',
    fallback: 'false',
    help: 'Fetch pictures from the addresses that requests give: https:// or http://, on the public Internet alone',
  },
  'file-urls': {
    kind: 'switch',
    fallback: 'false',
    help: 'Fetch documents and recordings from the addresses that requests give, by the rules of image-urls',
  },
  'search-url': {
    kind: 'address',
    isGuarded: true,
    help: 'SearXNG server that searches the web for models, the only host that queries go to; it must allow the format json',
  },
  'search-price': { kind: 'usd', fallback: '0', help: 'Price of a search of the web in USD, beside the tokens' },
  'embedding-inputs': {
    kind: 'integer',
    min: 1,
    max: requestTexts.embeddingInputs.most,
    fallback: String(requestTexts.embeddingInputs.usual),
    help: 'Largest number of texts to embed in a request',
  },
  'rerank-documents': {
    kind: 'integer',
    min: 1,
    max: requestTexts.rerankDocuments.most,
    fallback: String(requestTexts.rerankDocuments.usual),
    help: 'Largest number of documents to rank in a request',
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
} as const satisfies Record<string, ConfigRow>

const modelSettings = {
  preload: { kind: 'models', help: 'Models to load at start instead of at their first request, in this order' },
  'memory-limit': {
    kind: 'size',
    defaultText: 'all memory of the machine',
    help: 'Most memory that models may use of the host, and as much again of each GPU',
  },
  'memory-keep': {
    kind: 'size',
    defaultText: '10 % of the host, at least 2 GiB; 3 % of a GPU, at least 512 MiB',
    help: 'Memory of the host, and of each GPU, that models leave free for everything else',
  },
  'queue-wait': {
    kind: 'duration',
    fallback: '5m',
    help: 'Longest time that a request waits for its model; 0s: it is refused where it would have to wait',
  },
  'prompt-handover': {
    kind: 'duration',
    fallback: '1h',
    help: 'How long prompts of a model that made room for another wait in memory for its next load, since their last use; 0s: not at all',
  },
  'list-models': {
    kind: 'choice',
    choices: ['all', 'installed'],
    fallback: 'all',
    help: 'What GET /v1/models lists: the whole catalog, or only what is on this disk',
  },
  'moderation-model': {
    kind: 'text',
    help: 'Id or alias of the chat model that judges contents for POST /v1/moderations; none: it is refused',
  },
  'audio-fallback': {
    kind: 'text',
    help: 'Id or alias of the model that transcribes recordings in chats with models that do not hear, at its own price; none: they are refused',
  },
  'reasoning-field': {
    kind: 'choice',
    choices: ['content', 'both'],
    fallback: 'content',
    help: "Where chats show thinking: in reasoning_content, or in OpenRouter's reasoning too; a request can ask for both",
  },
} as const satisfies Record<string, ConfigRow>

const ollamaSettings = {
  'ollama-api': { kind: 'switch', fallback: 'true', help: "Serve Ollama's API below /api, to holders of an API key" },
  'ollama-port': {
    kind: 'integer',
    min: 0,
    max: 65_535,
    help: 'Port to listen on as well, for programs that look for Ollama: 11434; 0 picks a free one',
  },
  'ollama-keyless': {
    kind: 'switch',
    isGuarded: true,
    fallback: 'false',
    help: "Serve programs of this machine that send no key, at the cost of the operator's account",
  },
  'ollama-origins': {
    kind: 'origins',
    isGuarded: true,
    help: 'Pages and browser extensions that count as programs of this machine for ollama-keyless',
  },
} as const satisfies Record<string, ConfigRow>

const accountSettings = {
  signup: { kind: 'switch', fallback: 'true', help: 'Anybody who reaches the server may make an account' },
  'local-sign-in': {
    kind: 'choice',
    isGuarded: true,
    choices: ['all', 'staff', 'off'],
    fallback: 'all',
    help: "Who signs in by password or mailed link beside [oidc.NAME]: everybody, staff, or nobody; an operator's password works on this machine always",
  },
  'signup-limit': {
    kind: 'integer',
    min: 1,
    max: 100_000,
    fallback: '5',
    help: 'Accounts that one network (an IPv4 address, of IPv6 the /64) makes in a day; more for a class behind one address',
  },
  'signup-tries': {
    kind: 'integer',
    min: 1,
    max: 100_000,
    fallback: '30',
    help: 'Signups of one network in a day that make no account, as where the address has one',
  },
  'starter-credit-usd': {
    kind: 'usd',
    fallback: '1',
    help: 'Added to an account when its mail address is confirmed; 0: nothing',
  },
  'balance-low-usd': {
    kind: 'usd',
    help: 'Balance below which the event balance.low goes to webhooks; none: no event',
  },
  'top-up-text': { kind: 'text', help: 'How else people get money on their account, as the billing page says it' },
  'hold-tokens': {
    kind: 'integer',
    min: 1,
    max: 65_536,
    fallback: '256',
    help: 'Output tokens paid for ahead, and again each time, where a request names no limit',
  },
  'usage-keep-days': {
    kind: 'integer',
    min: 0,
    max: 36_500,
    fallback: '0',
    help: 'Days to keep the record of each request; its daily sums stay; 0: for ever',
  },
  'blocked-email-domains': { kind: 'domains', help: 'No signup from these, beside those of the shipped list' },
  'second-factor': {
    kind: 'choice',
    isGuarded: true,
    choices: ['off', 'staff'],
    fallback: 'off',
    help: 'staff: a sign-in by password gives the rights of an operator, treasurer or auditor only with a second factor; off: each may set one up',
  },
  'trusted-proxies': { kind: 'networks', isGuarded: true, help: 'Proxies whose X-Forwarded-For is believed' },
  'smtp-host': {
    kind: 'text',
    isGuarded: true,
    help: 'Server that takes our mails; none: they wait in the outbox (inferd outbox)',
  },
  'smtp-port': { kind: 'integer', isGuarded: true, min: 1, max: 65_535, fallback: '587', help: 'Its port' },
  'smtp-security': {
    kind: 'choice',
    isGuarded: true,
    choices: ['starttls', 'tls', 'none'],
    fallback: 'starttls',
    help: 'tls: from the first byte (port 465); starttls: mails leave encrypted or not at all; none: in clear',
  },
  'smtp-user': { kind: 'text', isGuarded: true, help: 'Name to sign in with; none: without signing in' },
  'smtp-password': { kind: 'text', isSecret: true, help: 'Its password; better in the environment than in a flag' },
  'mail-from': { kind: 'mailbox', isGuarded: true, help: 'Sender of our mails; needed with smtp-host' },
} as const satisfies Record<string, ConfigRow>

const pullSettings = {
  'pull-connections': {
    kind: 'integer',
    min: 1,
    max: 16,
    fallback: '4',
    help: 'Connections over which inferd pull fetches a file at a time',
  },
  'pull-rate': { kind: 'size', help: 'Most bytes per second that inferd pull fetches' },
  'pull-ca': { kind: 'path', isByHand: true, help: 'Certificates (PEM) that inferd pull trusts beside the usual ones' },
  'bundle-keys': { kind: 'keys', isByHand: true, help: 'Public keys whose bundles inferd bundle install takes' },
} as const satisfies Record<string, ConfigRow>

const nvidiaSettings = {
  'nvidia-libraries': {
    kind: 'path',
    isByHand: true,
    help: "Folder of NVIDIA's libraries (libcudart, libcublas), looked into before all others",
  },
  'gpu-index': {
    kind: 'address',
    isByHand: true,
    fallback: 'https://pypi.org/simple',
    help: "Package index, as pip's index-url, from which inferd gpu install fetches NVIDIA's libraries",
  },
} as const satisfies Record<string, ConfigRow>

const shareSettings = {
  share: {
    kind: 'choice',
    isGuarded: true,
    choices: ['off', 'key'],
    fallback: 'off',
    help: "key: other boxes may fetch this one's models (inferd pull inferd://…) with a key of the operator",
  },
  'share-rate': { kind: 'size', help: 'Most bytes per second that all other boxes fetch from here' },
  'share-key': {
    kind: 'text',
    isGuarded: true,
    isSecret: true,
    help: 'Key of the other box that inferd pull inferd://… fetches from',
  },
} as const satisfies Record<string, ConfigRow>

const backupSettings = {
  'backup-every': {
    kind: 'duration',
    help: 'Time between backups that the running server makes; none: only when asked',
  },
  'backup-keep': { kind: 'integer', min: 1, max: 10_000, fallback: '7', help: 'How many backups of the server stay' },
  'backup-folder': {
    kind: 'path',
    isGuarded: true,
    defaultText: 'backups in the data folder',
    help: 'Folder of the backups; another disk survives the loss of this one',
  },
} as const satisfies Record<string, ConfigRow>

const shippingSettings = {
  'ship-records': {
    kind: 'choice',
    choices: ['all', 'audit', 'requests'],
    fallback: 'all',
    help: 'Records for the receivers below: changes (the audit log), requests without their texts, or both; events go along',
  },
  'records-file': { kind: 'path', isByHand: true, help: 'File that gets records as lines of JSON' },
  'records-file-size': {
    kind: 'size',
    fallback: '100MB',
    help: 'Size at which the file is renamed and begun anew, as at the end of each day (UTC)',
  },
  'records-file-days': {
    kind: 'integer',
    min: 0,
    max: 36_500,
    fallback: '30',
    help: 'Days for which renamed files stay; 0: for ever',
  },
  syslog: { kind: 'syslog', isGuarded: true, help: 'Syslog server that gets records (RFC 5424)' },
  'otlp-endpoint': {
    kind: 'address',
    isGuarded: true,
    help: 'OpenTelemetry collector that gets logs, metrics and traces (OTLP over HTTP, JSON), without /v1/logs',
  },
  'otlp-headers': {
    kind: 'headers',
    isGuarded: true,
    isSecret: true,
    help: 'Headers for it, such as authorization=Bearer%20…',
  },
  'otlp-signals': { kind: 'signals', isGuarded: true, defaultText: 'logs, metrics, traces', help: 'Signals for it' },
  'ship-ca': {
    kind: 'path',
    isByHand: true,
    help: 'Certificates (PEM) that webhooks, syslog and OTLP trust beside the usual ones',
  },
} as const satisfies Record<string, ConfigRow>

/** All settings in display order. */
export const settings = {
  ...addressSettings,
  ...tlsSettings,
  ...requestSettings,
  ...modelSettings,
  ...engineSettings,
  ...ollamaSettings,
  ...accountSettings,
  ...pullSettings,
  ...nvidiaSettings,
  ...shareSettings,
  ...backupSettings,
  ...shippingSettings,
}

export type SettingName = keyof typeof settings

/** Settings by group, for people. */
const groups = {
  server: addressSettings,
  tls: tlsSettings,
  requests: requestSettings,
  models: modelSettings,
  engines: engineSettings,
  ollama: ollamaSettings,
  accounts: accountSettings,
  downloads: pullSettings,
  gpu: nvidiaSettings,
  sharing: shareSettings,
  backups: backupSettings,
  shipping: shippingSettings,
} as const

export type SettingGroup = keyof typeof groups

const groupNames = Object.keys(groups) as SettingGroup[] // Object.keys forgets the key type of a constant

/** Returns the group that shows a setting. */
export function settingGroup(name: SettingName): SettingGroup {
  return groupNames.find((group) => Object.hasOwn(groups[group], name)) ?? 'server'
}

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settings, name)
}

export const settingNames = Object.keys(settings) as SettingName[] // Object.keys forgets the key type of a constant

export const environmentPrefix = 'INFERD_'

export function environmentName(name: SettingName): string {
  return environmentPrefix + name.toUpperCase().replaceAll('-', '_')
}

/** Setting as shown to people. */
export interface ShownSetting {
  readonly name: SettingName
  /** Flag in Commander's notation, such as `--port <n>`. */
  readonly flag: string
  /** Flag that turns a switch off. Undefined for other settings. */
  readonly offFlag: string | undefined
  readonly environment: string
  readonly tomlKey: string
  readonly allowed: string
  readonly defaultText: string
  readonly help: string
  /** True if the value is never shown. */
  readonly isSecret: boolean
}

/** Returns every setting in the table's order. */
export function listSettings(): ShownSetting[] {
  return settingNames.map((name) => {
    const row: ConfigRow = settings[name]
    return {
      name,
      flag: row.kind === 'switch' ? `--${name}` : `--${name} <${placeholder(row)}>`,
      offFlag: row.kind === 'switch' ? `--no-${name}` : undefined,
      environment: environmentName(name),
      tomlKey: tomlKey(name),
      allowed: allowedText(row),
      defaultText: row.defaultText ?? row.fallback ?? 'none',
      help: row.help,
      isSecret: row.isSecret === true,
    }
  })
}

function placeholder(row: ConfigRow): string {
  if (row.kind === 'integer') return 'n'
  return row.kind === 'choice' ? row.choices.join('|') : row.kind
}
