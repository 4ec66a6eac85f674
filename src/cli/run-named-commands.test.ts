/** Runs commands as texts name them, against one server, with real arguments in place of examples. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importModel } from '../store/import/import-model.ts'
import { tinyGguf } from '../testing/gguf/tiny-gguf.ts'
import { namedCommands } from '../testing/named-commands.ts'
import { runCommand } from '../testing/run-cli.ts'
import { type ServedProcess, startServedProcess } from '../testing/served-process.ts'
import { type FakeUpstream, startFakeUpstream } from '../testing/upstream/fake-upstream.ts'

/** Commands that are not run here, with the reason. `named-commands.test.ts` still checks that they exist. */
const notRun: readonly (readonly [commands: RegExp, reason: string])[] = [
  [/^pull\b/, 'downloads from other machines'],
  [/^catalog check/, 'asks other machines about every file'],
  [/^search\b/, 'asks another machine'],
  [/^serve\b/, 'serves until it is stopped'],
  [/^restore\b(?!.*--check)/, 'replaces a data folder, and is refused while its server runs'],
  [/^bundle (create|install|verify)\b/, 'takes a bundle, into which the whole program is copied'],
  [/^bundle$/, 'is the name of a group'],
  [/^import\b.*(bge|FOLDER|folder|mmproj|mtp|ollama)/, 'takes files of several kinds that belong together'],
  [/^gpu (install|import|remove)/, 'fetches or takes libraries of gigabytes'],
  [/^tls root/, 'shows the authority that a server with TLS made at its start'],
  [/^outbox --test/, 'needs a mail server, which would take the mails that wait here'],
]

const reasonNotToRun = (command: string) => notRun.find(([commands]) => commands.test(command))?.[1]

let server: ServedProcess
let upstream: FakeUpstream
let folder = ''
let requestId = ''
let held: AbortController | undefined
let made = 0

const email = 'ada@example.org'
const run = (...words: string[]) => runCommand([...words, '--data', server.dataDir], {})

// biome-ignore lint/suspicious/noExplicitAny: JSON of any command
async function json(...words: string[]): Promise<any> {
  const { code, out, error } = await run(...words, '--json')
  if (code !== 0) throw new Error(`inferd ${words.join(' ')}: ${error}`)
  return JSON.parse(out)
}

function chat(model: string, script: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: JSON.stringify(script) }] }),
    ...(signal !== undefined && { signal }),
  })
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-named-'))
  upstream = await startFakeUpstream({ flavor: 'vllm' })
  server = await startServedProcess()
  const manifests = join(server.dataDir, 'models.d')
  mkdirSync(manifests, { recursive: true })
  const servers = `[upstream]\nflavor = "vllm"\nmodel = "served"\nendpoints = ["${upstream.url}"]\n`
  writeFileSync(join(manifests, 'behind.toml'), `id = "test/behind"\ntype = "chat"\nengine = "upstream"\n${servers}`)
  writeFileSync(join(manifests, 'fake.toml'), 'id = "test/fake"\ntype = "chat"\nengine = "fake"\n')
  await importModel({
    path: newModelFile(),
    id: 'me/tiny',
    dataDir: server.dataDir,
    isInPlace: false,
    known: undefined,
    aliases: [],
  })
  await json('users', 'create', email)
  await json('users', 'create', 'front@example.org')
  await json('users', 'role', email, 'operator')
  await json('credit', email, '100')
  const answer = await chat('test/fake', { script: [{ text: 'Hello' }] })
  expect(answer.status).toBe(200)
  await answer.text()
  requestId = answer.headers.get('x-request-id') ?? ''
  await json('backup', join(folder, 'made.tar'))
})

afterAll(async () => {
  held?.abort()
  await server[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

function newModelFile(): string {
  made += 1
  const path = join(folder, `model-${made}.gguf`)
  writeFileSync(path, tinyGguf({ seed: made }))
  return path
}

const newPath = (end: string) => join(folder, `new-${++made}${end}`)
const newEmail = () => `new-${++made}@example.org`
const newKey = async () => (await json('keys', 'create', '--name', 'spare')).id
const newTeamName = () => `team-${++made}`
const newTeam = async () => (await json('teams', 'create', newTeamName())).id
async function newPerson(): Promise<string> {
  const address = newEmail()
  await json('users', 'create', address)
  return address
}
const newVoucher = async () => (await json('vouchers', 'create', '--amount', '1')).vouchers[0].id

/** Loads and pins a model. Returns its id. */
async function loadedModel(): Promise<string> {
  await json('models', 'load', 'test/fake')
  await json('models', 'pin', 'test/fake')
  return 'test/fake'
}

async function removableModel(): Promise<string> {
  const id = `me/spare-${++made}`
  await importModel({
    path: newModelFile(),
    id,
    dataDir: server.dataDir,
    isInPlace: false,
    known: undefined,
    aliases: [],
  })
  return id
}

/** Creates a mail that waits to be sent. Returns its id. */
async function waitingMail(): Promise<string> {
  await fetch(new URL('/dashboard/api/sign-in-link', server.baseUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(server.baseUrl).origin },
    body: JSON.stringify({ email }),
  })
  return (await json('outbox'))[0].id
}

/** Starts a request that is not answered. Returns its id. */
async function runningRequest(): Promise<string> {
  held = new AbortController()
  const arrived = Promise.withResolvers<void>()
  upstream.queue.push(() => {
    arrived.resolve()
    return new Promise<void>(() => undefined)
  })
  chat('test/behind', { script: [] }, held.signal).catch(() => undefined)
  await arrived.promise
  return (await json('requests', 'list')).rows[0].id
}

type StandIn = string | (() => string | Promise<string>)

/** Arguments by command. They replace the examples in texts, or are added if a text names the command alone. */
const args: Readonly<Record<string, readonly StandIn[]>> = {
  'bundle keygen': [() => newPath('.key')],
  check: ['test/behind'],
  credit: [email],
  'endpoints drain': ['test/behind', () => upstream.url],
  'endpoints resume': ['test/behind', () => upstream.url],
  import: [newModelFile],
  'keys revoke': [newKey],
  'limits set': [newKey],
  'models load': ['test/fake'],
  'models pin': ['test/fake'],
  'models restart': [loadedModel],
  'models unload': [loadedModel],
  'models unpin': [loadedModel],
  receipt: [() => requestId],
  'requests cancel': [runningRequest],
  restore: [() => join(folder, 'made.tar')],
  rm: [removableModel],
  run: ['test/fake', 'hello'],
  'sessions end': [email],
  'sessions list': [email],
  'teams add': [newTeam],
  'teams create': [newTeamName],
  'users create': [newEmail],
  'users disable': [newPerson],
  'users erase': [newPerson],
  'users export': [email],
  'users link': [email],
  'users remove-second-factor': [email],
  'users role': [email, 'operator'],
  'users show': [email],
  'users unmetered': [email, 'on'],
  'vouchers revoke': [newVoucher],
}

/** Optional arguments by command, used only where a text has one. */
const optionalArgs: Readonly<Record<string, StandIn>> = {
  backup: () => newPath('.tar'),
  endpoints: 'test/behind',
  verify: 'me/tiny',
}

/** Words added where a text names nothing but the command. */
const furtherWords: Readonly<Record<string, readonly StandIn[]>> = {
  credit: ['1'],
  import: ['--id', () => `me/import-${++made}`],
}

/** Values of placeholders and flags in texts. */
const values: Readonly<Record<string, StandIn>> = {
  '--account': email,
  '--actor': 'cli',
  '--from': '2026-01-01',
  '--id': () => `me/import-${++made}`,
  '--open': waitingMail,
  '--to': '2026-01-31',
  TEXT: 'text',
  SESSION: '',
  NAME: 'name',
  AMOUNT: '1',
  'day|model|key|account': 'day',
}

/** Answers to a command's questions. */
const answers: Readonly<Record<string, readonly string[]>> = {
  'users erase ACCOUNT': ['yes'],
  'bundle keygen release.key': ['correct horse battery', 'correct horse battery'],
}

const resolveStandIn = (standIn: StandIn) => (typeof standIn === 'string' ? standIn : standIn())

/** Returns the words of a command as a reader of the text would type them. */
async function typed(command: string): Promise<string[]> {
  const plain = command
    .replace(/ [>|] .*$/, '')
    .replaceAll('[,…]', '')
    .replaceAll(/[[\]]/g, '')
  const words = (plain.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll(/^['"]|['"]$/g, ''))
  const [first = '', second = ''] = words
  const path = [`${first} ${second}`, first].find(
    (name) => args[name] !== undefined || optionalArgs[name] !== undefined,
  )
  const known = args[path ?? ''] ?? []
  const head = path === undefined ? words : path.split(' ')
  const rest = path === undefined ? [] : words.slice(head.length)
  const flagsAt = rest.findIndex((word) => word.startsWith('--'))
  const given = flagsAt === -1 ? rest : rest.slice(0, flagsAt)
  const flags = flagsAt === -1 ? [] : rest.slice(flagsAt)
  const optional = given.length === 0 ? [] : [optionalArgs[path ?? ''] ?? []].flat()
  const further = rest.length === 0 ? (furtherWords[path ?? ''] ?? []) : []
  const stands = [...known, ...optional, ...further]
  const filled = await Promise.all(stands.map(resolveStandIn))
  const all = [...head, ...filled, ...given.slice(filled.length), ...flags]
  const shown: string[] = []
  for (const word of all) {
    const standIn = values[shown.at(-1) ?? ''] ?? values[word]
    shown.push(standIn === undefined || word.startsWith('--') ? word : await resolveStandIn(standIn))
  }
  return shown.filter((word) => word !== '')
}

/** Named commands without repetition. */
const commands = [...new Set(namedCommands.map(({ command }) => command.replaceAll(/\s+/g, ' ').trim()))]
const toRun = commands.filter((command) => reasonNotToRun(command) === undefined)

test('every named command is done as it is written', async () => {
  const failed: string[] = []
  for (const command of toRun) {
    const words = await typed(command)
    const isBare = ['--help', 'help', 'completion'].includes(words[0] ?? '')
    const place = isBare ? [] : ['--data', server.dataDir]
    const { code, error } = await runCommand([...words, ...place], {}, answers[command] ?? [])
    if (code !== 0) failed.push(`inferd ${command} (${words.join(' ')}): ${code}, ${error.trim()}`)
  }
  expect(failed).toEqual([])
}, 120_000)

test('only commands with a reason are not run', () => {
  for (const [pattern, reason] of notRun) {
    expect(reason).not.toBe('')
    expect(commands.some((command) => pattern.test(command))).toBe(true)
  }
  expect(toRun.length).toBeGreaterThan(90)
})
