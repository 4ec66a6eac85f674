/** Operations by which the next start of the running server restores a backup. */
import { Type } from '@sinclair/typebox'
import { errorText } from '../core/error-text.ts'
import { backupName, namedBackup } from './backups.ts'
import { lineOf } from './fields.ts'
import { ofServer, operation, runningServer } from './operation.ts'
import { ownPassword, requireOwnPassword } from './own-password.ts'
import { OperationError } from './problem.ts'

/** Checks a backup that was uploaded, as a whole, and adds it to the list. One that cannot be restored is deleted. */
export const addUploadedBackup = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ upload: lineOf('is the id of an upload', 64) }),
  prepare: (context, { upload }) => runningServer(context).restores.take(upload).catch(refuse),
  run: ({ stores, caller: { actor } }, _, prepared) => {
    const checked = ofServer(prepared)
    const { name, createdMs } = checked
    stores.audit.append({ actor, action: 'backup.upload', details: { name, madeMs: createdMs } })
    return checked
  },
})

/** Deletes a backup that was uploaded. Others are deleted by the schedule, or by hand. */
export const removeUploadedBackup = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ name: backupName }),
  run: (context, { name }) => {
    if (!runningServer(context).restores.remove(name))
      throw new OperationError({ code: 'not_found', what: 'backup', name })
    context.stores.audit.append({ actor: context.caller.actor, action: 'backup.remove', details: { name } })
    return { name }
  },
})

/** Reads and checks a whole backup, and returns its content and the command that restores it without a page. */
export const checkBackup = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ name: backupName }),
  prepare: async (context, { name }) => {
    const server = runningServer(context)
    const { path } = await namedBackup(context, name)
    const checked = await server.restores.check(path).catch(refuse)
    return { name, ...checked, command: server.restoreCommand(path) }
  },
  run: ({ stores, caller: { actor } }, { name }, prepared) => {
    const checked = ofServer(prepared)
    stores.audit.append({ actor, action: 'backup.check', details: { name, problems: checked.problems.length } })
    return checked
  },
})

/**
 * Checks a backup again and unpacks it for the next start, which puts it in the place of the database, the settings and
 * the manifests. On a page it takes the operator's password, since a backup can change whatever a hand at the machine
 * may. With `sum` it is refused if its content is not the one that a check told, such as an upload of another session.
 */
export const restoreBackup = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({
    name: backupName,
    sum: Type.Optional(lineOf('is the sum that a check tells', 64)),
    current: ownPassword,
  }),
  prepare: async (context, { name, sum: wanted, current }) => {
    await requireOwnPassword(context, current)
    const { restores } = runningServer(context)
    const { path } = await namedBackup(context, name)
    const { settingsProblem, problems, sum } = await restores.check(path, wanted).catch(refuse)
    const [problem = settingsProblem] = problems
    if (problem !== undefined) return refuse(new Error(problem))
    await restores.prepare(path, { actor: context.caller.actor, sum }).catch(refuse)
  },
  run: (context, { name }) => {
    const pending = runningServer(context).restores.pending()
    context.stores.audit.append({ actor: context.caller.actor, action: 'backup.restore.wait', details: { name } })
    return ofServer(pending)
  },
})

/** Drops the restore that waits for the next start. */
export const cancelRestore = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({}),
  prepare: async (context) => {
    const { restores } = runningServer(context)
    const pending = restores.pending()
    if (pending === undefined) throw new OperationError({ code: 'no_restore' })
    await restores.cancel().catch(refuse)
    return pending.name
  },
  run: ({ stores, caller: { actor } }, _, name) => {
    stores.audit.append({ actor, action: 'backup.restore.cancel', details: { name: ofServer(name) } })
    return { name }
  },
})

function refuse(error: unknown): never {
  throw new OperationError({ code: 'backup_unusable', reason: errorText(error) })
}
