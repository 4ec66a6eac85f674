/** Restores of a running server: a backup is checked now, and taken into use at the next start. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, loadConfig } from '../config/config.ts'
import type { ConfigRow } from '../config/kinds.ts'
import { settingNames, settings } from '../config/settings.ts'
import type { ConfigSources } from '../config/sources.ts'
import { errorText } from '../core/error-text.ts'
import { OperationError } from '../operations/problem.ts'
import type { Restores } from '../operations/running-server.ts'
import { BackupError, manifestsFolder, settingsName } from '../upkeep/backup-format.ts'
import { askDatabaseThread } from '../upkeep/database-thread.ts'
import { cancelRestore, pendingRestore, readyFolder } from '../upkeep/finish-restore.ts'
import { UploadedBackups } from '../upkeep/uploaded-backups.ts'
import { requireModels } from './next-start.ts'

interface RestoresOptions {
  readonly config: Config
  readonly sources: ConfigSources
}

/** Returns the restores of a data folder. */
export function restoresOf({ config, sources }: RestoresOptions): Restores {
  const { data: dataDir } = config
  const uploaded = new UploadedBackups(dataDir)
  const check = async (path: string, sum?: string) => {
    const { settingsText, ...checked } = await askDatabaseThread({ type: 'check-backup', path, dataDir, sum })
    // The text may hold secrets, so only the verdict leaves this function.
    return { ...checked, settingsProblem: settingsProblem(settingsText, { config, sources }) }
  }
  return {
    uploaded: () => uploaded.list(),
    limitBytes: () => uploaded.limitBytes(),
    receive: (content) =>
      uploaded.receive(content).catch((error: unknown) => {
        if (!(error instanceof BackupError)) throw error
        throw new OperationError({ code: 'backup_not_uploaded', reason: error.message })
      }),
    take: (upload) => uploaded.take(upload, (path) => check(path)),
    remove: (name) => uploaded.remove(name),
    check,
    prepare: async (path, wish) => {
      const task = { type: 'prepare-restore', path, dataDir, ...wish, nowMs: Date.now(), isForced: false } as const
      await askDatabaseThread(task)
      try {
        requireStart(dataDir, sources)
      } catch (error) {
        await cancelRestore(dataDir)
        throw new BackupError(`the next start would fail: ${errorText(error)}`)
      }
    },
    pending: () => pendingRestore(dataDir),
    cancel: () => cancelRestore(dataDir),
  }
}

/** Requires that a start accepts the settings and the manifests that wait for it. Throws ConfigError and StartError. */
function requireStart(dataDir: string, sources: ConfigSources): void {
  const ready = readyFolder(dataDir)
  const settings = join(ready, settingsName)
  const isTaken = pendingRestore(dataDir)?.settingsPath === undefined && existsSync(settings)
  const fileText = isTaken ? readFileSync(settings, 'utf8') : undefined
  requireModels(loadConfig({ ...sources, fileText }), join(ready, manifestsFolder))
}

/**
 * Returns why the settings of a backup must not take the place of the file by a page: a start would refuse them, or they
 * change what only a hand at the machine may. Undefined if nothing is wrong.
 */
function settingsProblem(text: string | undefined, { config, sources }: RestoresOptions): string | undefined {
  if (text === undefined) return undefined
  let restored: Config
  try {
    restored = loadConfig({ ...sources, fileText: text })
  } catch (error) {
    return errorText(error)
  }
  const byHand = settingNames.filter((name) => {
    const row: ConfigRow = settings[name]
    return row.isByHand === true && !Bun.deepEquals(config.resolved[name].value, restored.resolved[name].value)
  })
  return byHand.length === 0
    ? undefined
    : `it changes ${byHand.join(', ')}, which only the command 'inferd restore' may`
}
