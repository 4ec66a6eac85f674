/** Operations on the running server. */
import { Type } from '@sinclair/typebox'
import { auditors } from '../core/roles.ts'
import { trueOrFalse } from './fields.ts'
import { ofServer, operation, runningServer } from './operation.ts'
import { OperationError } from './problem.ts'

/** Returns the latest 500 lines of the log, the oldest first. */
export const tailLog = operation({
  callers: ['operator'],
  roles: auditors,
  kind: 'read',
  input: Type.Object({}),
  run: (context) => {
    const { level, lines } = runningServer(context).log
    return { level, lines: lines() }
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
  roles: auditors,
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

/**
 * Ends the running server in order, so that its service manager starts it again. Refused if nobody is known to do so,
 * or if the next start would fail.
 */
export const restartServer = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({}),
  run: (context) => {
    const { restart, settingsFile } = runningServer(context)
    if (restart === undefined) throw new OperationError({ code: 'no_restart' })
    const next = settingsFile.next()
    if (typeof next === 'string') throw new OperationError({ code: 'start_would_fail', reason: next })
    context.stores.audit.append({ actor: context.caller.actor, action: 'server.restart', details: {} })
    return {}
  },
  afterwards: (context) => runningServer(context).restart?.(),
})
