/** Backends of this machine: which of them compute, and the reasons why others do not. */
import { Type } from '@sinclair/typebox'
import { auditors } from '../core/roles.ts'
import { trueOrFalse } from './fields.ts'
import { ofServer, operation, runningServer } from './operation.ts'

/**
 * Returns the backends that are known now. `try`: first probes those that a load would probe, for some seconds at most.
 */
export const reportGpu = operation({
  callers: ['operator'],
  roles: auditors,
  // A probe runs programs.
  fieldsOf: { auditor: [] },
  kind: 'read',
  asksServer: true,
  input: Type.Object({ try: Type.Optional(trueOrFalse()) }),
  prepare: async (context, { try: isTried = false }) => {
    if (isTried) await runningServer(context).backends.tried()
  },
  run: (context) => runningServer(context).backends.report(),
})

/**
 * Probes every backend again, in child processes beside the running engines. Later loads use the backends that then
 * compute.
 */
export const probeGpu = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({}),
  prepare: (context) => runningServer(context).backends.probe(),
  run: ({ stores, caller: { actor } }, _, prepared) => {
    const report = ofServer(prepared)
    const computing = report
      .filter(({ verdict }) => verdict.state === 'computes')
      .map(({ kind, id }) => `${kind} ${id}`)
    stores.audit.append({ actor, action: 'gpu.probe', details: { computing: computing.join(', ') } })
    return report
  },
})
