import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { version } from '../config/config.ts'
import { dollars } from '../core/money.ts'
import { sizeText } from '../core/quantities.ts'
import { checkFolderOwner } from '../db/folder-owner.ts'
import { createDataFolder } from '../db/private-file.ts'
import type { CheckedBackup, Restored } from '../upkeep/restore-backup.ts'
import { count, minuteOf } from './format.ts'
import { CommandError, type Io, printAnswer } from './io.ts'
import { configOf, newCommand } from './options.ts'
import { actorOf } from './perform.ts'

export function backupCommand(io: Io): Command {
  const command = newCommand(
    'backup',
    'make a backup of the database, the settings, your manifests and keys of TLS',
  ).argument('[path]', 'a new file, or a folder (default: the one of the settings)')
  return command.action(async (path: string | undefined) => {
    const config = configOf(command, io)
    checkFolderOwner(config.data)
    const [{ writeBackup }, { copyDatabase }, { backupFolder }, { listBackups, newBackupPath }] = await Promise.all([
      import('../upkeep/write-backup.ts'),
      import('../db/copy-database.ts'),
      import('../upkeep/backup-format.ts'),
      import('../upkeep/list-backups.ts'),
    ])
    const nowMs = Date.now()
    const isFile = path !== undefined && !path.endsWith('/') && !isFolder(path)
    const folder = resolve(path ?? backupFolder(config))
    const target = isFile ? folder : newBackupPath(folder, listBackups(folder), nowMs)
    const backup = await writeBackup({
      ...{ dataDir: config.data, settingsFile: config.file, target, version, nowMs },
      copyDatabase,
    })
    printAnswer(
      command,
      io,
      backup,
      () => `${backup.path}, ${sizeText(backup.bytes)}: keep it as private as the data folder.\n`,
    )
  })
}

export function restoreCommand(io: Io): Command {
  const command = newCommand(
    'restore',
    'put a backup in the place of the database, the settings, your manifests and keys of TLS',
  )
    .argument('<path>', 'the backup')
    .option('--check', 'only say whether it is whole and adds up')
    .option('--force', 'although its books do not add up')
  return command.action(async (path: string) => {
    const config = configOf(command, io)
    checkFolderOwner(config.data)
    const options = { path: resolve(path), dataDir: config.data, actor: actorOf(io) }
    if (command.getOptionValue('check') === true) await check(command, io, options)
    else await restore(command, io, options)
  })
}

type Place = { readonly path: string; readonly dataDir: string; readonly actor: string }

async function check(command: Command, io: Io, place: Place): Promise<void> {
  const { checkBackup } = await import('../upkeep/restore-backup.ts')
  const { settingsText: _, ...checked } = await checkBackup(place)
  printAnswer(command, io, checked, () => `${contentText(checked)}${problemsText(checked)}`)
  if (checked.problems.length > 0) throw new CommandError(`${count(checked.problems.length, 'problem')} found`)
}

async function restore(command: Command, io: Io, place: Place): Promise<void> {
  const { dataDir } = place
  const [{ restoreBackup }, { requireWholeBackup }, { takeServerLock }] = await Promise.all([
    import('../upkeep/restore-backup.ts'),
    import('../upkeep/read-backup.ts'),
    import('../db/server-lock.ts'),
  ])
  // If `path` is no backup, no folder must be created.
  if (!existsSync(dataDir)) await requireWholeBackup(place.path)
  createDataFolder(dataDir)
  using lock = takeServerLock(join(dataDir, 'server.lock'), { waitMs: lockWaitMs })
  if (lock === undefined)
    throw new CommandError(`a server, or another command, works on ${dataDir}; stop it before a restore`)
  const isForced = command.getOptionValue('force') === true
  const restored = await restoreBackup({ ...place, nowMs: Date.now(), isForced })
  printAnswer(command, io, restored, () => restoredText(restored, dataDir))
}

const lockWaitMs = 300

function restoredText(restored: Restored, dataDir: string): string {
  const { replaced, settingsBeside, settingsPath } = restored
  return [
    contentText(restored),
    `It is in ${dataDir} now.\n`,
    replaced === undefined ? '' : `What was there is in ${replaced}; delete it when all is well.\n`,
    settingsBeside === undefined ? '' : `The settings lay at ${settingsPath}: they are in ${settingsBeside}.\n`,
    problemsText(restored),
  ].join('')
}

function contentText({ createdMs, inferd, accounts, balancesNanoUsd, manifests, tlsFiles }: CheckedBackup): string {
  const certificates = tlsFiles === 0 ? '' : `, ${count(tlsFiles, 'file')} of TLS`
  const holds = `${count(accounts, 'account')} with ${dollars(balancesNanoUsd)}, ${count(manifests, 'manifest')}${certificates}`
  return `A backup of ${minuteOf(createdMs)} (UTC), made by inferd ${inferd}: ${holds}.\n`
}

function problemsText({ problems }: CheckedBackup): string {
  return problems.map((problem) => `PROBLEM  ${problem}\n`).join('')
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}
