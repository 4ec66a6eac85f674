/** Operations on backups of the running server. */
import { Type } from '@sinclair/typebox'
import { errorText } from '../core/error-text.ts'
import { auditors } from '../core/roles.ts'
import { downloadTicket } from './download-ticket.ts'
import { lineOf } from './fields.ts'
import { type OperationContext, ofServer, operation, runningServer } from './operation.ts'
import { ownPassword, requireOwnPassword } from './own-password.ts'
import { OperationError } from './problem.ts'
import type { RunningServer } from './running-server.ts'

export const backupName = lineOf('is the file name of a backup', 100)

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

/**
 * Returns the latest backup, the schedule, the last failure, the command that makes a backup, for cron, and the restore
 * that waits for the next start.
 */
export const backupStatus = operation({
  callers: ['operator'],
  roles: auditors,
  kind: 'read',
  input: Type.Object({}),
  prepare: (context) => runningServer(context).backups.status(),
  run: (context, _, status) => {
    const { backupCommand, restores, restart } = runningServer(context)
    const waiting = { restore: restores.pending(), canRestart: restart !== undefined }
    return { ...ofServer(status), command: backupCommand, ...waiting }
  },
})

/** Lists the backups that were uploaded, and those in the server's folder, the latest first. */
export const listBackups = operation({
  callers: ['operator'],
  roles: auditors,
  kind: 'read',
  input: Type.Object({}),
  prepare: (context) => allBackups(runningServer(context)),
  run: (_context, _input, backups) => ofServer(backups),
})

/**
 * Returns a ticket by which an operator downloads a backup within a minute, and notes it. On a page it takes the
 * operator's password, since a backup holds every secret of the server.
 */
export const openBackup = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ name: backupName, current: ownPassword }),
  prepare: async (context, { name, current }) => {
    await requireOwnPassword(context, current)
    return namedBackup(context, name)
  },
  run: ({ stores, caller, clock }, { name }, prepared) => {
    const { bytes } = ofServer(prepared)
    stores.audit.append({ actor: caller.actor, action: 'backup.download', details: { name, bytes } })
    return { name, bytes, ticket: downloadTicket({ session: caller.session, name, nowMs: clock() }) }
  },
})

/** Returns a backup of the server's folder, or one that was uploaded. Rejects with OperationError if there is none. */
export async function namedBackup(context: OperationContext<'operator'>, name: string) {
  const found = (await allBackups(runningServer(context))).find((backup) => backup.name === name)
  if (found === undefined) throw new OperationError({ code: 'not_found', what: 'backup', name })
  return found
}

/**
 * Returns the backups that were uploaded, and those in the server's folder, the latest first. Rejects with
 * OperationError if the folder does not answer.
 */
export async function allBackups({ backups, restores }: Pick<RunningServer, 'backups' | 'restores'>) {
  const inFolder = await backups.list().catch((error: unknown) => {
    throw new OperationError({ code: 'backups_unknown', reason: errorText(error) })
  })
  const rows = (list: readonly (typeof inFolder)[number][], isUploaded: boolean) =>
    list.map((row) => ({ ...row, isUploaded }))
  return [...rows(restores.uploaded(), true), ...rows(inFolder, false)]
}
