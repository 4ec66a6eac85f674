/** Operations on what the server sends to receivers outside, which the settings file names. */
import { Type } from '@sinclair/typebox'
import { auditors } from '../core/roles.ts'
import { lineOf, page } from './fields.ts'
import { ofServer, operation, runningServer } from './operation.ts'
import { OperationError } from './problem.ts'

/**
 * Lists the webhooks without their secrets, the receivers of records, and the latest events for webhooks, the latest
 * first.
 */
export const listWebhooks = operation({
  callers: ['operator'],
  roles: auditors,
  kind: 'read',
  asksServer: true,
  input: Type.Object({ ...page }),
  run: (context, input) => ({
    webhooks: runningServer(context).webhooks.states(),
    receivers: runningServer(context).receivers.states(),
    deliveries: context.stores.webhookDeliveries.list(input),
  }),
})

/** Sends a test event to a webhook, once. */
export const testWebhook = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ webhook: lineOf('is the name of a webhook', 64) }),
  prepare: async (context, { webhook }) => {
    const posted = await runningServer(context).webhooks.test(webhook)
    if (posted === undefined) throw new OperationError({ code: 'not_found', what: 'webhook', name: webhook })
    return posted
  },
  run: ({ stores, caller: { actor } }, { webhook }, prepared) => {
    const { id, type, ...result } = ofServer(prepared)
    stores.webhookDeliveries.addEnded({ id, webhook, type }, result)
    stores.audit.append({ actor, action: 'webhook.test', details: { webhook, status: result.status ?? 0 } })
    const failure = result.kind === 'failed' ? result.failure : undefined
    return { id, isTaken: failure === undefined, status: result.status, failure }
  },
})

/** Returns the receivers of records, each with the reason why it cannot be reached now. */
export const checkReceivers = operation({
  callers: ['operator'],
  kind: 'read',
  asksServer: true,
  input: Type.Object({}),
  prepare: (context) => runningServer(context).receivers.checked(),
  run: (_context, _input, prepared) => ofServer(prepared),
})
