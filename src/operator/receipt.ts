import { Type } from '@sinclair/typebox'
import { OperationError } from './errors.ts'
import { lineOf } from './fields.ts'
import { operation } from './operation.ts'

/** Everything about what one request used and cost. */
export const receipt = operation({
  kind: 'read',
  input: Type.Object({ request: lineOf("the request's id is what x-request-id of its answer says", 200) }),
  run: ({ stores }, { request }) => {
    const usage = stores.usage.find(request)
    if (usage === undefined) {
      throw new OperationError(
        `there is no record of request "${request}": it was refused, is still running, or was not for this server`,
      )
    }
    return {
      ...usage,
      email: stores.directory.find(usage.accountId)?.email,
      /** Undefined where nothing was charged. */
      balanceAfterNanoUsd: stores.ledger.ofRequest(request)?.balanceAfterNanoUsd,
    }
  },
})
