/** Operations on the running server. */
import { Type } from '@sinclair/typebox'
import { errorText } from '../core/error-text.ts'
import { trueOrFalse } from './fields.ts'
import { ofServer, operation, runningServer } from './operation.ts'
import { OperationError } from './problem.ts'

/** Lists every setting with its value in force, source, default and meaning. Secrets are `(set)`. */
export const listSettings = operation({
  callers: ['operator'],
  kind: 'read',
  input: Type.Object({}),
  run: (context) => runningServer(context).settings(),
})

/** Returns the latest 500 lines of the log, the oldest first. */
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

/** Checks the database, the books, disks, memory, devices, the clock, mail, the latest backup and the rest of a box. */
export const runDoctor = operation({
  callers: ['operator'],
  kind: 'read',
  /** Input. `certificate` also asks the public address for its certificate. */
  input: Type.Object({ certificate: Type.Optional(trueOrFalse()) }),
  prepare: (context, { certificate = false }) => runningServer(context).doctor({ withCertificate: certificate }),
  run: (_context, _input, prepared) => ofServer(prepared),
})

/** Returns the doctor's last findings without checking. `latest` is undefined if it has not run since the start. */
export const latestDiagnosis = operation({
  callers: ['operator'],
  kind: 'read',
  input: Type.Object({}),
  run: (context) => ({ latest: runningServer(context).latestDiagnosis() }),
})

/** Returns the doctor's findings, versions and engines as text without keys, addresses and names of people. */
export const writeDiagnosis = operation({
  callers: ['operator'],
  kind: 'read',
  input: Type.Object({}),
  prepare: (context) => runningServer(context).diagnosis(),
  run: (_context, _input, prepared) => ({ text: ofServer(prepared) }),
})
