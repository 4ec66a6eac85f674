import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { version } from '../config/config.ts'
import { newId } from '../core/ids.ts'
import { adminBase } from '../core/listen-address.ts'
import { unreachable } from '../core/unreachable.ts'
import { checkFolderOwner, userName } from '../db/folder-owner.ts'
import { createDataFolder } from '../db/private-file.ts'
import { type AsJson, asJson } from '../operations/as-json.ts'
import type { AccountRules } from '../operations/operation.ts'
import type { OperationInput, OperationNameFor, OperationResult } from '../operations/operations.ts'
import { OperationError } from '../operations/problem.ts'
import type { StoresOptions } from '../operations/stores.ts'
import type { OperationReply } from '../server/perform.ts'
import { askToPerform } from './control-client.ts'
import { CommandError, type Io, printAnswer } from './io.ts'
import { configOf } from './options.ts'
import { problemText } from './problem-text.ts'
import { noServer, runningFolders, whereServersRun } from './running-servers.ts'

/** Data folder and caller of operations. */
export interface OperationTarget {
  readonly dataDir: string
  /** Address for links if no server runs. */
  readonly baseUrl: string
  /** Address for links to the operator's pages if no server runs. Undefined if these pages are off. */
  readonly adminUrl?: string | undefined
  readonly actor: string
  readonly rules: AccountRules
  /** Time to wait for a server to answer, start or stop. */
  readonly patienceMs: number
}

type OperatorsName = OperationNameFor<'operator'>

/** Result of an operation, the same from either process. */
export type OperationAnswer<Name extends OperatorsName> = AsJson<OperationResult<Name>>

const usualPatienceMs = 10_000
/** Time to wait for the lock before asking the server again. */
const lockWaitMs = 100

export function operationTarget(command: Command, io: Io, patienceMs = usualPatienceMs): OperationTarget {
  const config = configOf(command, io)
  const { data: dataDir, publicUrl, host, port, accounts: rules } = config
  const baseUrl = publicUrl ?? `${config.tls === 'off' ? 'http' : 'https'}://${host}:${port}`
  return { dataDir, baseUrl, adminUrl: adminBase(config, config), actor: actorOf(io), rules, patienceMs }
}

/** Returns the caller of this command for the audit log. Under sudo this is the user who called it. */
export function actorOf({ environment }: Io): string {
  const uid = process.getuid?.()
  const names = [environment.SUDO_USER, uid === undefined ? undefined : userName(uid)]
  return `cli:${names.find((name) => name !== undefined && /^[^\s:]{1,64}$/.test(name)) ?? 'unknown'}`
}

/** Performs an operation and prints its result. */
export async function performAndPrint<Name extends OperatorsName>(
  command: Command,
  io: Io,
  name: Name,
  input: OperationInput<Name>,
  toText: (answer: OperationAnswer<Name>) => string,
): Promise<void> {
  printAnswer(command, io, await perform(operationTarget(command, io), name, input), toText)
}

/**
 * Performs an operation. Reads run in this process beside a running server, whose requests they must not delay. Writes,
 * and questions to the server itself, run in the server, the only writer; without a server they run here under the
 * server's lock.
 * Throws UsageError, or CommandError with the reason.
 */
export async function perform<Name extends OperatorsName>(
  target: OperationTarget,
  name: Name,
  input: OperationInput<Name>,
): Promise<OperationAnswer<Name>> {
  try {
    const { checkOperation, isDoneByServer } = await import('../operations/operations.ts')
    checkOperation(name, 'operator', input)
    checkFolderOwner(target.dataDir)
    if (!existsSync(databasePath(target)) && !makingOperations.has(name)) throw await missingDatabase(target, name)
    const { openForReading } = await import('../db/open-database.ts')
    // A database of an older version must be migrated first.
    const database = isDoneByServer(name) ? undefined : openForReading(databasePath(target))
    const performed =
      database === undefined ? performAsWriter(target, name, input) : performOn(database, target, name, input)
    return (await performed) as OperationAnswer<Name> // of the operation of this name
  } catch (error) {
    if (!(error instanceof OperationError)) throw error
    throw error.problem.code === 'no_server' ? await noServer(target.dataDir) : problemText(name, error.problem)
  }
}

/** Operations allowed before the first start of a server: they create the data folder. */
const makingOperations: ReadonlySet<OperatorsName> = new Set<OperatorsName>([
  'accounts-create',
  'keys-create',
  'licenses-accept',
  'vouchers-create',
  'models-pin',
])

/** Operations that only a running server can perform. */
const serverOperations: ReadonlySet<OperatorsName> = new Set<OperatorsName>([
  'endpoints-drain',
  'endpoints-list',
  'endpoints-resume',
  'engines-restart',
  'hub-files',
  'hub-search',
  'mail-test',
  'models-load',
  'models-unload',
  'receivers-check',
  'requests-cancel',
  'webhooks-list',
  'webhooks-test',
])

async function missingDatabase({ dataDir }: OperationTarget, name: OperatorsName): Promise<CommandError> {
  if (serverOperations.has(name)) return noServer(dataDir)
  const elsewhere = whereServersRun(await runningFolders())
  const problem = `there is no database in ${dataDir} yet`
  return new CommandError(`${problem}; ${elsewhere ?? `'inferd serve' makes it, or name another --data`}`)
}

/** Performs an operation in the running server, or without one in this process under the server's lock. */
async function performAsWriter(
  target: OperationTarget,
  name: OperatorsName,
  input: Record<string, unknown>,
): Promise<unknown> {
  const { dataDir, actor, patienceMs: answerWithinMs } = target
  const { takeServerLock } = await import('../db/server-lock.ts')
  createDataFolder(dataDir)
  const giveUpAtMs = performance.now() + answerWithinMs
  // A server that starts or stops holds the lock without answering.
  do {
    const reply = await askToPerform(dataDir, { name, request: { version, actor, input }, answerWithinMs })
    if (reply !== undefined) return resultOf(reply, dataDir)
    using lock = takeServerLock(join(dataDir, 'server.lock'), { waitMs: lockWaitMs })
    if (lock === undefined) continue
    const { openDatabase } = await import('../db/open-database.ts')
    using database = openDatabase(databasePath(target))
    return await performOn(database, target, name, input)
  } while (performance.now() < giveUpAtMs)
  throw new CommandError(
    `another inferd works on ${dataDir} and does not answer; wait until it has started or stopped, or end its process`,
  )
}

function resultOf(reply: OperationReply, dataDir: string): unknown {
  switch (reply.kind) {
    case 'done':
      return reply.result
    case 'refused':
      throw new OperationError(reply.problem)
    case 'failed':
      throw new CommandError(reply.message)
    case 'other-version':
      throw new CommandError(
        `the server of ${dataDir} is inferd ${reply.version} and this is ${version}: use its version, or restart it with this one`,
      )
    default:
      return unreachable(reply)
  }
}

function databasePath({ dataDir }: OperationTarget): string {
  return join(dataDir, 'inferd.db')
}

/** Performs an operation in this process, in one transaction. */
async function performOn(
  database: StoresOptions['database'],
  { baseUrl, adminUrl, actor, rules }: OperationTarget,
  name: OperatorsName,
  input: Record<string, unknown>,
): Promise<unknown> {
  try {
    const [{ openStores }, { attemptLimits }, { perform: performOperation }] = await Promise.all([
      import('../operations/stores.ts'),
      import('../operations/attempt-limits.ts'),
      import('../operations/operations.ts'),
    ])
    const stores = openStores({ database, newId, clock: Date.now })
    const services = { stores, rules, limits: attemptLimits(), mails: { wake: () => undefined }, clock: Date.now }
    const caller = { kind: 'operator', actor, baseUrl, adminUrl } as const
    return asJson(await performOperation(services, caller, { name, input }))
  } catch (error) {
    if (!isOfSqlite(error)) throw error
    throw new CommandError(`${database.filename} cannot be used: ${error.message}`)
  }
}

/** Returns whether the error comes from SQLite, such as damage or a full disk: its message does not name the file. */
function isOfSqlite(error: unknown): error is Error {
  return error instanceof Error && error.name === 'SQLiteError'
}
