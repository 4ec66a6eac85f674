/** Operations on backups of the running server. */
import { Type } from '@sinclair/typebox'
import { errorText } from '../core/error-text.ts'
import { lineOf } from './fields.ts'
import { type OperationContext, ofServer, operation, runningServer } from './operation.ts'
import { OperationError } from './problem.ts'

const backupName = lineOf('is the file name of a backup', 100)

/** Makes a backup on the server's disk. */
export const makeBackup = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({}),
  prepare: (context) =>
    runningServer(context)
      .backups.make()
      .catch((error: unknown) => {
        throw new OperationError({
          code: 'backup_failed',
          reason: errorText(error),
        })
      }),
  run: ({ stores, caller: { actor } }, _, prepared) => {
    const backup = ofServer(prepared)
    stores.audit.append({ actor, action: 'backup', details: { path: backup.path, bytes: backup.bytes } })
    return backup
  },
})

/** Returns the latest backup, the schedule, the last failure, and the command that makes one, for cron. */
export const backupStatus = operation({
  callers: ['operator'],
  kind: 'read',
  input: Type.Object({}),
  run: (context) => {
    const { backups, backupCommand } = runningServer(context)
    return { ...backups.status(), command: backupCommand }
  },
})

/** Lists the backups in the server's folder, the latest first. */
export const listBackups = operation({
  callers: ['operator'],
  kind: 'read',
  input: Type.Object({}),
  run: (context) => runningServer(context).backups.list(),
})

/** Returns the path and size of a backup that an operator is about to download, and notes it. */
export const openBackup = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ name: backupName }),
  run: (context, { name }) => {
    const backup = namedBackup(context, name)
    const { stores, caller } = context
    stores.audit.append({ actor: caller.actor, action: 'backup.download', details: { name, bytes: backup.bytes } })
    return backup
  },
})

/**
 * Reads and checks a whole backup, and returns its content and the command that restores it. The server must stop for
 * that, since the command replaces its database.
 */
export const prepareRestore = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ name: backupName }),
  prepare: async (context, { name }) => {
    const server = runningServer(context)
    const { path } = namedBackup(context, name)
    const checked = await server.checkBackup(path).catch((error: unknown) => {
      throw new OperationError({ code: 'backup_unusable', reason: errorText(error) })
    })
    return { ...checked, command: server.restoreCommand(path) }
  },
  run: ({ stores, caller: { actor } }, { name }, prepared) => {
    const checked = ofServer(prepared)
    stores.audit.append({ actor, action: 'backup.check', details: { name, problems: checked.problems.length } })
    return checked
  },
})

function namedBackup(context: OperationContext<'operator'>, name: string) {
  const found = runningServer(context)
    .backups.list()
    .find((backup) => backup.name === name)
  if (found === undefined) throw new OperationError({ code: 'not_found', what: 'backup', name })
  return found
}
