import { join } from 'node:path'
import type { Command } from 'commander'
import type { Config } from '../config/config.ts'
import { errorText } from '../core/error-text.ts'
import type { ReadMemory } from '../machine/read-memory.ts'
import type { BackupFolder } from '../upkeep/backup-folder.ts'
import type { ExaminedBackups } from '../upkeep/doctor/backup-check.ts'
import type { Check } from '../upkeep/doctor/check.ts'
import type { CheckedEndpoint } from '../upkeep/doctor/endpoint-check.ts'
import { usageOfLastDay } from '../upkeep/doctor/usage-check.ts'
import { askServer } from './control-client.ts'
import { count } from './format.ts'
import { triedBackends } from './gpu/known-backends.ts'
import { CommandError, type Io, printAnswer } from './io.ts'
import { emphasised } from './layout.ts'
import { configOf, newCommand } from './options.ts'
import { type OperationTarget, operationTarget, perform } from './perform.ts'

export function doctorCommand(io: Io): Command {
  const command = newCommand('doctor', 'check the database, its money, disks, memory, mail, backups and more').option(
    '--certificate',
    'ask the public address for its certificate, too',
  )
  return command.action(async () => {
    const target = operationTarget(command, io)
    const config = configOf(command, io)
    const report = await perform(target, 'books-check', {})
    // Asked after the database was read: a server that ran at that time still runs, or has released its holds.
    const isServerRunning = report.openHolds > 0 && (await isLocked(target.dataDir))
    const usageOfDay = await perform(target, 'usage-report', usageOfLastDay(Date.now())).catch(() => undefined)
    const [latest] = await perform(target, 'audit-list', { limit: 1 }).catch(() => [])
    const [{ examine }, { booksFindings }, { BackupFolder }, { backupFolder }, { runtimePaths }] = await Promise.all([
      import('../upkeep/doctor/doctor.ts'),
      import('../upkeep/doctor/books-check.ts'),
      import('../upkeep/backup-folder.ts'),
      import('../upkeep/backup-format.ts'),
      import('../engines/runtime/runtime-paths.ts'),
    ])
    using folder = new BackupFolder({ path: backupFolder(config) })
    const { checks, versions } = await examine({
      config,
      readMemory: await memoryOf(config),
      runtime: () => runtimePaths(config.data),
      backends: () => triedBackends(command, io),
      backups: () => backupsIn(folder, config),
      backupFolder: folder,
      endpoints: () => endpointsOf(target),
      receivers: () => perform(target, 'receivers-check', {}).catch(() => []),
      certificate: async () => (await askServer(target.dataDir).catch(() => undefined))?.tls,
      books: async () => booksFindings(report, { isServerRunning, config }),
      usageOfDay,
      latestEntryMs: latest?.createdMs,
      programPath: io.environment.PATH,
      withCertificate: command.getOptionValue('certificate') === true,
      complete: io.hint,
      nowMs: Date.now(),
    })
    const { findFfmpeg } = await import('../audio/ffmpeg/find-ffmpeg.ts')
    const ffmpeg = findFfmpeg(io.environment.PATH) ?? null
    const problems = checks.filter(({ verdict }) => verdict === 'bad').map(({ text }) => text)
    printAnswer(command, io, { ...report, problems, ffmpeg, checks, versions }, () =>
      [...checks.map(lineOf), lastLineOf(checks)].join(''),
    )
    if (problems.length > 0)
      throw new CommandError(`${count(problems.length, 'problem')} found; see "Doctor" in docs/operations.md`)
  })
}

/**
 * Returns the last line; empty if there are problems, whose number is in the command's error. Unknown results are not
 * success.
 */
function lastLineOf(checks: readonly Check[]): string {
  if (checks.some(({ verdict }) => verdict === 'bad')) return ''
  const unknown = checks.filter(({ verdict }) => verdict === 'unknown').length
  return unknown === 0 ? 'No problems.\n' : `No problems found, but ${count(unknown, 'check')} gave no result.\n`
}

const marks: Readonly<Record<Check['verdict'], string>> = {
  ok: 'ok',
  warn: 'WARNING',
  bad: 'PROBLEM',
  unknown: 'unknown',
}

function lineOf({ name, verdict, text, advice }: Check): string {
  const what = verdict === 'unknown' ? `${name}: ${text}` : text
  const mark = marks[verdict].padEnd(9)
  return `${verdict === 'bad' || verdict === 'warn' ? emphasised(mark) : mark}${what}${advice === undefined ? '' : `; ${advice}`}\n`
}

/** Returns the latest backup, or why the folder could not be looked at. A command knows of no failed attempts. */
async function backupsIn(folder: BackupFolder, { data, backupEveryMs: everyMs }: Config): Promise<ExaminedBackups> {
  const [{ laterBackup }, { latestOf }] = await Promise.all([
    import('../upkeep/backup-note.ts'),
    import('../upkeep/list-backups.ts'),
  ])
  const found = await folder.list().catch(errorText)
  const [backups, folderProblem] = typeof found === 'string' ? [[], found] : [found, undefined]
  return { latest: laterBackup(data, latestOf(backups, Date.now())), folderProblem, failure: undefined, everyMs }
}

/** Returns the endpoints, which only a running server knows. */
async function endpointsOf(target: OperationTarget): Promise<readonly CheckedEndpoint[]> {
  try {
    // A server that holds the folder's lock without answering must not delay the command.
    if ((await askServer(target.dataDir)) === undefined) return []
    return (await perform(target, 'endpoints-list', { ask: true })).endpoints
  } catch {
    return []
  }
}

async function memoryOf({ data, engineEnvironment: environment }: Config): Promise<ReadMemory> {
  const [{ memoryReader }, { askDevices }, { engineSpawn, ownCommand }, { runtimePaths }] = await Promise.all([
    import('../machine/read-memory.ts'),
    import('../engines/host/ask-devices.ts'),
    import('../engines/host/spawn-engine.ts'),
    import('../engines/runtime/runtime-paths.ts'),
  ])
  const spawn = engineSpawn({ command: ownCommand(), environment })
  return memoryReader({ environment, otherDevices: () => askDevices(spawn, () => runtimePaths(data)) })
}

async function isLocked(dataDir: string): Promise<boolean> {
  const { takeServerLock } = await import('../db/server-lock.ts')
  using lock = takeServerLock(join(dataDir, 'server.lock'))
  return lock === undefined
}
