import { beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from './config.ts'
import { listSettings } from './settings.ts'
import { readSettings, variableWarnings } from './sources.ts'

let data = ''

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'inferd-config-'))
})

function load(flags: Record<string, string | boolean> = {}, environment: Record<string, string> = {}) {
  return loadConfig({ flags: { data, ...flags }, environment })
}

function file(name: string, text: string): string {
  const path = join(data, name)
  writeFileSync(path, text)
  return path
}

test('defaults work on a bare machine', () => {
  const { resolved: _, ...config } = load()
  expect(config).toEqual({
    data,
    host: '127.0.0.1',
    port: 11500,
    publicUrl: undefined,
    allowedHosts: [],
    admin: 'loopback',
    tls: 'off',
    tlsCert: undefined,
    tlsKey: undefined,
    httpPort: undefined,
    localHttp: true,
    hstsDays: 0,
    acmeDirectory: 'https://acme-v02.api.letsencrypt.org/directory',
    acmeAgreeTerms: false,
    acmeMail: undefined,
    acmeNames: [],
    acmeChallenge: 'http-01',
    acmeCa: undefined,
    logLevel: 'info',
    logUpstreamText: true,
    usageKeepDays: 0,
    logFormat: 'auto',
    restartStatus: undefined,
    bodyLimitMb: 64,
    imageLimitBytes: 20_000_000,
    imageSidePixels: 16_384,
    imageMegapixels: 40,
    imagesPerRequest: 100,
    imageUrls: false,
    fileUrls: false,
    searchUrl: undefined,
    searchPrice: '0',
    idleTimeoutSeconds: 120,
    embeddingInputs: 1024,
    rerankDocuments: 1000,
    responseItemsMinutes: 60,
    preload: [],
    memoryLimitBytes: undefined,
    memoryKeepBytes: undefined,
    queueWaitMs: 300_000,
    promptHandoverMs: 3_600_000,
    listModels: 'all',
    moderationModel: undefined,
    audioFallback: undefined,
    reasoningField: 'content',
    ollamaApi: true,
    ollamaPort: undefined,
    ollamaKeyless: false,
    ollamaOrigins: [],
    parallel: 8,
    contextTokens: 32768,
    requestTokens: 0,
    maxWaiting: 512,
    prefixCacheMb: 1024,
    imageCacheMb: 256,
    imageTokens: 0,
    batchTokens: 512,
    threads: 0,
    device: 'auto',
    kvType: 'f16',
    flashAttention: 'auto',
    speculative: 'auto',
    shareCache: false,
    keepAliveMs: Number.POSITIVE_INFINITY,
    localSignIn: 'all',
    signup: true,
    signupLimit: 5,
    signupTries: 30,
    starterCreditUsd: '1',
    accounts: {
      isSignupOpen: true,
      localSignIn: 'all',
      starterCreditNanoUsd: 1_000_000_000,
      signupLimits: { accounts: 5, tries: 30 },
      blockedEmailDomains: [],
      sendsMail: false,
    },
    secondFactor: 'off',
    trustedProxies: [],
    blockedEmailDomains: [],
    balanceLowUsd: undefined,
    topUpText: undefined,
    holdTokens: 256,
    smtpHost: undefined,
    smtpPort: 587,
    smtpSecurity: 'starttls',
    smtpUser: undefined,
    smtpPassword: undefined,
    mailFrom: undefined,
    pullConnections: 4,
    pullRateBytes: undefined,
    pullCa: undefined,
    bundleKeys: [],
    share: 'off',
    shareRateBytes: undefined,
    shareKey: undefined,
    mail: undefined,
    file: undefined,
    prices: new Map(),
    models: new Map(),
    webhooks: [],
    providers: new Map(),
    backupEveryMs: undefined,
    backupFolder: undefined,
    backupKeep: 7,
    shipRecords: 'all',
    recordsFile: undefined,
    recordsFileSizeBytes: 100_000_000,
    recordsFileDays: 30,
    syslog: undefined,
    otlpEndpoint: undefined,
    otlpHeaders: undefined,
    otlpSignals: [],
    shipCa: undefined,
    nvidiaLibraries: undefined,
    gpuIndex: 'https://pypi.org/simple',
    engineEnvironment: { LD_LIBRARY_PATH: join(data, 'nvidia', 'loader') },
  })
})

test('flags win over the environment, the environment over the file, the file over the default', () => {
  file('config.toml', 'port = 1\nparallel = 1\nthreads = 1\n')
  const { port, ...engine } = load({ port: '3' }, { INFERD_PORT: '2', INFERD_PARALLEL: '2' })
  expect([port, engine.parallel, engine.threads, engine.batchTokens]).toEqual([3, 2, 1, 512])
})

test('every setting says where it comes from', () => {
  const path = file('config.toml', 'threads = 1\n')
  const { resolved } = readSettings({ flags: { data, port: '3' }, environment: { INFERD_PARALLEL: '2' } })
  expect(resolved.port).toEqual({ value: 3, source: '--port' })
  expect(resolved.parallel).toEqual({ value: 2, source: 'INFERD_PARALLEL' })
  expect(resolved.threads).toEqual({ value: 1, source: path })
  expect(resolved.host).toEqual({ value: '127.0.0.1', source: 'default' })
})

test('a settings file named by flag or variable takes the place of the one in the data folder', () => {
  file('config.toml', 'port = 1\n')
  const other = file('other.toml', 'port = 2\n')
  expect(load({ config: other }).port).toBe(2)
  expect(load({}, { INFERD_CONFIG: other }).port).toBe(2)
  expect(load({}, { INFERD_CONFIG: '' }).port).toBe(1)
  expect(() => load({ config: join(data, 'nothing.toml') })).toThrow('nothing.toml cannot be read')
})

test('the data folder comes from a named file but not from the one inside it', () => {
  const named = file('named.toml', `data = "${data}/deeper"\n`)
  expect(loadConfig({ flags: { config: named }, environment: {} }).data).toBe(`${data}/deeper`)
  file('config.toml', 'data = "/elsewhere"\n')
  expect(() => load()).toThrow('data cannot be set by the file inside that folder')
})

test('without a word the data folder is the user’s own', () => {
  const { data: folder } = loadConfig({ flags: {}, environment: { XDG_DATA_HOME: data } })
  expect(['/var/lib/inferd', join(data, 'inferd')]).toContain(folder)
})

test.each([
  [{ port: '65536' }, '--port must be a whole number from 0 to 65535, not "65536"'],
  [{ port: '80.5' }, '--port must be a whole number from 0 to 65535, not "80.5"'],
  [{ port: '' }, '--port must be a whole number from 0 to 65535, not ""'],
  [{ device: 'tpu' }, '--device must be auto, cpu, vulkan or cuda, not "tpu"'],
  [{ 'public-url': 'example.com' }, '--public-url must be http:// or https:// and an address, not "example.com"'],
  [
    { 'public-url': 'https://a.example/path' },
    '--public-url must be http:// or https:// and an address, not "https://a.example/path"',
  ],
  [{ data: '' }, '--data must be a path, not ""'],
  [{ host: '' }, '--host must be one line of text, not ""'],
  [{ preload: 'a,' }, '--preload must be ids or aliases of models, separated by commas, not "a,"'],
  [{ 'memory-limit': '24 G' }, '--memory-limit must be a size such as 24GB, 512MB or 16GiB, not "24 G"'],
  [{ 'queue-wait': 'never' }, '--queue-wait must be a duration such as 90s, 30m or 2h, not "never"'],
  [{ 'keep-alive': '30' }, '--keep-alive must be a duration such as 90s, 30m or 2h, or never, not "30"'],
  [{ parallel: '0' }, '--parallel must be a whole number from 1 to 256, not "0"'],
])('the flag %j is refused, saying what is allowed', (flags, message) => {
  expect(() => load(flags)).toThrow(message)
})

test.each([
  [{ 'starter-credit-usd': '-1' }, '--starter-credit-usd must be an amount in USD such as 1 or 0.5, not "-1"'],
  [{ 'starter-credit-usd': '1e3' }, '--starter-credit-usd must be an amount in USD such as 1 or 0.5, not "1e3"'],
  [{ 'starter-credit-usd': '1000001' }, '--starter-credit-usd must be an amount in USD such as 1 or 0.5'],
  [{ 'trusted-proxies': '10.0.0.0/33' }, '--trusted-proxies must be IP addresses and networks such as 10.0.0.0/8'],
  [{ 'trusted-proxies': '10.0.0.1,proxy' }, '--trusted-proxies must be IP addresses and networks such as 10.0.0.0/8'],
  [{ 'trusted-proxies': 'fe80::1%eth0' }, '--trusted-proxies must be IP addresses and networks such as 10.0.0.0/8'],
  [{ 'trusted-proxies': '::1/129' }, '--trusted-proxies must be IP addresses and networks such as 10.0.0.0/8'],
  [{ 'ollama-origins': 'null' }, '--ollama-origins must be origins such as http://localhost:3000'],
  [{ 'ollama-origins': '*' }, '--ollama-origins must be origins such as http://localhost:3000'],
  [{ 'ollama-origins': 'http://localhost:3000/' }, '--ollama-origins must be origins such as http://localhost:3000'],
  [{ 'blocked-email-domains': 'a.example,,b.example' }, '--blocked-email-domains must be domain names'],
  [{ 'blocked-email-domains': 'someone@a.example' }, '--blocked-email-domains must be domain names'],
  [{ 'allowed-hosts': 'box:80' }, '--allowed-hosts must be host names without ports, separated by commas'],
  [{ 'allowed-hosts': 'http://box' }, '--allowed-hosts must be host names without ports'],
  [{ 'allowed-hosts': 'box..lan' }, '--allowed-hosts must be host names without ports'],
  [{ 'mail-from': 'nobody' }, '--mail-from must be a mail address, or a name and <a mail address>, not "nobody"'],
  [{ 'mail-from': 'a@b.example, c@d.example' }, '--mail-from must be a mail address, or a name'],
  [{ 'smtp-port': '0' }, '--smtp-port must be a whole number from 1 to 65535, not "0"'],
  [{ 'smtp-security': 'ssl' }, '--smtp-security must be starttls, tls or none, not "ssl"'],
])('the flag %j of accounts and mail is refused, saying what is allowed', (flags: object, message) => {
  expect(() => load({ ...flags })).toThrow(message)
})

test('amounts are exact, from text and from TOML', () => {
  const creditOf = (flags = {}) => load(flags).accounts.starterCreditNanoUsd
  expect(creditOf({ 'starter-credit-usd': '0.000000001' })).toBe(1)
  expect(creditOf({ 'starter-credit-usd': '0' })).toBe(0)
  file('config.toml', 'starter_credit_usd = 0.35\n')
  expect(creditOf()).toBe(350_000_000)
})

test('sizes and durations are text with a unit, and sizes numbers of bytes', () => {
  file('config.toml', 'memory_limit = 1000\nmemory_keep = "1.5GiB"\nkeep_alive = "90s"\nqueue_wait = "0s"\n')
  expect(load()).toMatchObject({
    memoryLimitBytes: 1000,
    memoryKeepBytes: 1_610_612_736,
    keepAliveMs: 90_000,
    queueWaitMs: 0,
    promptHandoverMs: 3_600_000,
  })
})

test('a key of an earlier version is refused with the name that it has now', () => {
  const path = file('config.toml', 'keep_alive_minutes = 5\n')
  expect(() => load()).toThrow(
    `${path}: unknown setting "keep_alive_minutes" (it is now keep_alive, with a unit: keep_alive = "30m")`,
  )
})

test('lists are separated by commas, or TOML lists', () => {
  const accounts = load({
    'trusted-proxies': '127.0.0.1, 10.0.0.0/8,::1/128',
    'blocked-email-domains': 'A.Example',
  })
  expect(load({ 'allowed-hosts': 'Inferd, ai_1.lan' }).allowedHosts).toEqual(['inferd', 'ai_1.lan'])
  expect(accounts.trustedProxies).toEqual(['127.0.0.1', '10.0.0.0/8', '::1/128'])
  expect(accounts.blockedEmailDomains).toEqual(['a.example'])
  const path = file('config.toml', 'trusted_proxies = ["fd00::/8"]\nblocked_email_domains = ["b\u00fccher.example"]\n')
  expect(load().trustedProxies).toEqual(['fd00::/8'])
  expect(load().blockedEmailDomains).toEqual(['xn--bcher-kva.example'])
  file('config.toml', 'trusted_proxies = [1]\n')
  expect(() => load()).toThrow(`${path}: trusted_proxies must be IP addresses`)
})

test('mail is sent by the server that is named, from the address that is named', () => {
  const named = { 'smtp-host': 'mail.example.com', 'mail-from': 'Our box <box@example.com>' }
  expect(load(named).mail).toEqual({
    host: 'mail.example.com',
    port: 587,
    security: 'starttls',
    user: undefined,
    password: undefined,
    from: 'Our box <box@example.com>',
  })
  const signedIn = load(
    { ...named, 'smtp-port': '465', 'smtp-security': 'tls', 'smtp-user': 'box' },
    { INFERD_SMTP_PASSWORD: 'pass word' },
  )
  expect(signedIn.mail).toMatchObject({ port: 465, security: 'tls', user: 'box', password: 'pass word' })
})

test('what mail still needs is named, with the place that asked for it', () => {
  expect(() => load({ 'smtp-host': 'a' })).toThrow('--smtp-host needs --mail-from (INFERD_MAIL_FROM) as well')
  const path = file('config.toml', 'smtp_host = "a"\nmail_from = "a@b.example"\nsmtp_user = "u"\n')
  expect(() => load()).toThrow(`${path}: smtp_user needs --smtp-password (INFERD_SMTP_PASSWORD) as well`)
  file('config.toml', 'smtp_host = "a"\nmail_from = "a@b.example"\n')
  expect(() => load({}, { INFERD_SMTP_PASSWORD: 'x' })).toThrow('INFERD_SMTP_PASSWORD needs --smtp-user')
})

test('a wrong password setting is refused without showing it', () => {
  file('config.toml', 'smtp_password = ["hunter2"]\n')
  expect(() => load()).toThrow(/smtp_password must be one line of text$/)
})

test('prices of models are set in the file', () => {
  file('config.toml', 'port = 1\n[prices."org/a"]\ninput = 0.1\noutput = 0\n[prices."org/b"]\nprice = 2\n')
  expect(load().prices).toEqual(
    new Map([
      ['org/a', { inputNanoUsd: 100_000_000, outputNanoUsd: 0 }],
      ['org/b', { priceNanoUsd: 2_000_000_000 }],
    ]),
  )
})

test.each([
  ['prices = 3', 'prices must be tables such as [prices."org/model"]'],
  ['prices."a/b" = 3', '[prices."a/b"] must be a table with input, cached_input, output, price'],
  ['prices."a/b".inptu = 3', '[prices."a/b"]: unknown field "inptu" (did you mean "input"?)'],
  ['prices."a/b".unit = "minute"', '[prices."a/b"]: unknown field "unit"'],
  ['prices."a/b".input = -1', '[prices."a/b"]: input must be a price in USD, 0 or more, not -1'],
  ['prices."a/b".input = "1"', '[prices."a/b"]: input must be a price in USD, 0 or more, not "1"'],
  ['prices."a/b".input = nan', '[prices."a/b"]: input must be a price in USD, 0 or more'],
])('the price %p is refused, naming file, model and field', (toml, message) => {
  const path = file('config.toml', `${toml}\n`)
  expect(() => load()).toThrow(`${path}: ${message}`)
})

test('settings of models are set in the file', () => {
  file('config.toml', '[models."org/a".llama]\ncontext_tokens = 4096\nkv_type = "q8_0"\n')
  expect(load().models).toEqual(new Map([['org/a', { llama: { contextTokens: 4096, kvType: 'q8_0' } }]]))
})

test.each([
  ['models = 3', 'models must be tables such as [models."org/model".llama]'],
  ['models."a/b" = 3', '[models."a/b"] must be a table of engines, such as [models."a/b".llama]'],
  ['models."a/b".lama.threads = 3', '[models."a/b"]: there is no engine "lama" (did you mean "llama"?)'],
  ['models."a/b".threads = 3', '[models."a/b"] must be a table of engines, such as [models."a/b".llama]'],
  ['models."a/b".llama.treads = 3', '[models."a/b"]: unknown setting "llama.treads" (did you mean "threads"?)'],
  ['models."a/b".onnx.kv_type = "f16"', '[models."a/b"]: "onnx.kv_type": kv_type is a setting of engine "llama"'],
  ['models."a/b".llama.threads = -1', '[models."a/b"]: "llama.threads" must be a whole number from 0 to 1024, not -1'],
])('the setting %p is refused, naming file, model and key', (toml, message) => {
  const path = file('config.toml', `${toml}\n`)
  expect(() => load()).toThrow(`${path}: ${message}`)
})

test('an unknown variable of ours is a warning that names the nearest, and nothing else', () => {
  expect(load({}, { INFERD_PROT: '1', OTHER_PORT: '1', INFERD: 'x' }).port).toBe(11500)
  const environment = {
    INFERD_PROT: '1',
    INFERD_PROTT: '',
    INFERD_COMPLETELY_ELSE: 'secret',
    INFERD_PORT: '1',
    OTHER: '',
  }
  expect(variableWarnings({ ...environment, INFERD_CONFIG: 'x', INFERD: 'x' })).toEqual([
    'the environment variable INFERD_PROT is no setting and has no effect (did you mean "INFERD_PORT"?)',
    'the environment variable INFERD_COMPLETELY_ELSE is no setting and has no effect',
  ])
})

test('an empty variable means unset', () => {
  expect(load({}, { INFERD_PORT: '' }).port).toBe(11500)
})

test('an unknown key or a wrong type in the file is refused, naming file and key', () => {
  const path = file('config.toml', 'paralel = 2\n')
  expect(() => load()).toThrow(`${path}: unknown setting "paralel" (did you mean "parallel"?)`)
  file('config.toml', 'port = true\n')
  expect(() => load()).toThrow(`${path}: port must be a whole number from 0 to 65535, not true`)
  file('config.toml', 'port = \n')
  expect(() => load()).toThrow(`${path} cannot be read`)
})

test('the public address is kept without a trailing slash', () => {
  expect(load({ 'public-url': 'https://ai.example.com/' }).publicUrl).toBe('https://ai.example.com')
})

test('switches are given as flags, words or TOML booleans', () => {
  expect(load({ 'share-cache': true }).shareCache).toBe(true)
  expect(load({}, { INFERD_SHARE_CACHE: 'true' }).shareCache).toBe(true)
  file('config.toml', 'share_cache = true\n')
  expect(load().shareCache).toBe(true)
  expect(load({}, { INFERD_SHARE_CACHE: '0' }).shareCache).toBe(false)
  expect(() => load({}, { INFERD_SHARE_CACHE: 'yes' })).toThrow('must be true or false')
})

test('a switch that the file or environment turned on is turned off by its flag', () => {
  const sources = { flags: { data, 'share-cache': false }, environment: { INFERD_SHARE_CACHE: '1' } }
  expect(readSettings(sources).resolved['share-cache']).toEqual({ value: false, source: '--no-share-cache' })
})

test('engines get the variables that find drivers and nothing else', () => {
  const environment = {
    LD_LIBRARY_PATH: '/opt/cuda',
    CUDA_VISIBLE_DEVICES: '1',
    SECRET: 'x',
    PATH: '/bin',
    HOME: '/root',
  }
  expect(load({}, environment).engineEnvironment).toEqual({
    LD_LIBRARY_PATH: `${join(data, 'nvidia', 'loader')}:/opt/cuda`,
    CUDA_VISIBLE_DEVICES: '1',
  })
})

test('the settings cannot be changed afterwards', () => {
  const config = load()
  expect([config, ...Object.values(config).filter((part) => typeof part === 'object')].every(Object.isFrozen)).toBe(
    true,
  )
})

test('each setting is one flag, one variable and one key', () => {
  expect(listSettings().find(({ name }) => name === 'batch-tokens')).toMatchObject({
    flag: '--batch-tokens <n>',
    environment: 'INFERD_BATCH_TOKENS',
    tomlKey: 'batch_tokens',
    defaultText: '512',
  })
})
