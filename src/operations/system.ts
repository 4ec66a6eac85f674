/** What the running server says of itself. */
import { Type } from '@sinclair/typebox'
import { trueOrFalse } from './fields.ts'
import { ofServer, operation, runningServer } from './operation.ts'
import { OperationError } from './problem.ts'

/** Every setting with its value in force, where that was said, its default and its meaning. Secrets are `(set)`. */
export const listSettings = operation({
  callers: ['operator'],
  kind: 'read',
  input: Type.Object({}),
  run: (context) => runningServer(context).settings(),
})

/** The latest 500 lines of the log, the oldest first. */
export const tailLog = operation({
  callers: ['operator'],
  kind: 'read',
  input: Type.Object({}),
  run: (context) => {
    const { level, lines } = runningServer(context).log
    return { level, lines: lines() }
  },
})

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
          reason: error instanceof Error ? error.message : String(error),
        })
      }),
  run: ({ stores, caller: { actor } }, _, prepared) => {
    const backup = ofServer(prepared)
    stores.audit.append({ actor, action: 'backup', details: { path: backup.path, bytes: backup.bytes } })
    return backup
  },
})

/** The latest backup, the schedule, what went wrong the last time, and the command that makes one, for cron. */
export const backupStatus = operation({
  callers: ['operator'],
  kind: 'read',
  input: Type.Object({}),
  run: (context) => {
    const { backups, backupCommand } = runningServer(context)
    return { ...backups.status(), command: backupCommand }
  },
})

/** Checks the database, the books, disks, memory, devices, the clock, mail, the latest backup and what else a box needs. */
export const runDoctor = operation({
  callers: ['operator'],
  kind: 'read',
  /** `certificate`: of the public address too, which is asked for it. */
  input: Type.Object({ certificate: Type.Optional(trueOrFalse()) }),
  prepare: (context, { certificate = false }) => runningServer(context).doctor({ withCertificate: certificate }),
  run: (_context, _input, prepared) => ofServer(prepared),
})

/** What the doctor found the last time; nothing is checked. `latest` is undefined where it was not asked since the start. */
export const latestDiagnosis = operation({
  callers: ['operator'],
  kind: 'read',
  input: Type.Object({}),
  run: (context) => ({ latest: runningServer(context).latestDiagnosis() }),
})

/** What the doctor finds, with versions and engines, as a text without keys, addresses and names of people. */
export const writeDiagnosis = operation({
  callers: ['operator'],
  kind: 'read',
  input: Type.Object({}),
  prepare: (context) => runningServer(context).diagnosis(),
  run: (_context, _input, prepared) => ({ text: ofServer(prepared) }),
})
