/** Requests to models: running ones, ended ones, and all paid ones. */

import { Type } from '@sinclair/typebox'
import { type RequestRecord, type StoredRequestRecord, waitedMs } from '../core/request-record.ts'
import { auditors } from '../core/roles.ts'
import { wholeNumber } from '../core/schemas.ts'
import type { RecentPage } from '../telemetry/recent-requests.ts'
import { accountReference, lineOf, mustBe, page } from './fields.ts'
import { findAnyAccount } from './find-account.ts'
import { actorOf, type OperationServices, operation } from './operation.ts'
import { OperationError } from './problem.ts'

const tabs = ['running', 'recent', 'paid'] as const
const tabRule = `must be one of ${tabs.join(', ')}`

const filter = Type.Object(
  {
    model: Type.Optional(lineOf('is the id of a model', 200)),
    account: Type.Optional(accountReference),
    key: Type.Optional(lineOf('is the id of a key', 200)),
    endpoint: Type.Optional(lineOf('is the path of an endpoint below /v1', 100)),
    /** First digit of the status. Paid requests have succeeded (2) or failed by our own fault (5). */
    statusClass: Type.Optional(mustBe(wholeNumber(2, 5))),
    slowerThanMs: Type.Optional(mustBe(wholeNumber(0, 1_000_000_000))),
  },
  { description: 'is an object of conditions', additionalProperties: false },
)

const usualLimit = 100

/** Lists requests, the latest first. `sinceMs`: start of the running server, undefined if none runs. */
export const listRequests = operation({
  callers: ['operator'],
  roles: auditors,
  kind: 'read',
  asksServer: true,
  input: Type.Object({ tab: lineOf(tabRule, 10), filter: Type.Optional(filter), ...page }),
  run: (context, input) => {
    const { stores } = context
    const { tab, limit = usualLimit, before } = input
    const account = input.filter?.account && findAnyAccount(stores, input.filter.account).id
    const wanted = { filter: { ...input.filter, account }, limit, before }
    const named = nameReader(stores)
    const rows = (): readonly (RequestRecord | StoredRequestRecord)[] => {
      if (tab === 'paid') return listPaid(stores, wanted)
      if (tab !== 'running' && tab !== 'recent') {
        throw new OperationError({ code: 'invalid_input', field: 'tab', rule: tabRule, value: tab })
      }
      return required(context.requests)[tab](wanted)
    }
    return { sinceMs: context.requests?.sinceMs, rows: rows().map((record) => toListed(record, named(record))) }
  },
})

/** Ends a request as a stop of the server would: its client gets an error, and nothing is charged. */
export const cancelRequest = operation({
  callers: ['operator'],
  kind: 'write',
  input: Type.Object({ request: lineOf('is the id of a request that runs', 200) }),
  run: ({ requests, stores, caller }, { request }) => {
    if (!required(requests).cancel(request)) {
      throw new OperationError({ code: 'not_found', what: 'running request', name: request })
    }
    stores.audit.append({ actor: actorOf(caller), action: 'request.cancel', details: { request } })
    return { request }
  },
})

function required(requests: OperationServices['requests']): NonNullable<OperationServices['requests']> {
  if (requests === undefined) throw new OperationError({ code: 'no_server' })
  return requests
}

function listPaid({ usage }: OperationServices['stores'], { filter = {}, limit, before }: RecentPage) {
  const { model, account, key, endpoint, statusClass, slowerThanMs } = filter
  if (statusClass !== undefined && statusClass !== 2 && statusClass !== 5) return []
  const hasFailed = statusClass === undefined ? undefined : statusClass === 5
  return usage.list({ accountId: account, keyId: key, model, endpoint, hasFailed, slowerThanMs, limit, before })
}

/** Returns the row of the operator's list. Paid requests have no status, since the usage table does not store it. */
function toListed(record: RequestRecord | StoredRequestRecord, names: RequestNames) {
  return {
    id: record.requestId,
    state: record.state,
    endpoint: record.endpoint ?? '',
    accountId: record.accountId,
    keyId: record.keyId,
    callerRequestId: record.callerRequestId,
    model: record.model,
    startedMs: Math.round(record.arrivedAtMs),
    waitedMs: waitedMs(record),
    firstOutputMs: record.firstOutputMs,
    durationMs: record.durationMs,
    promptTokens: record.used?.promptTokens,
    cachedTokens: record.used?.cachedTokens,
    outputTokens: record.used?.completionTokens,
    status: record.status,
    isAborted: record.isAborted === true || record.finish === 'client_disconnect',
    code: record.code,
    finish: record.finish,
    costNanoUsd: record.costNanoUsd,
    isEstimated: record.isEstimated === true,
    chargedNanoUsd: 'chargedNanoUsd' in record ? record.chargedNanoUsd : undefined,
    cause: record.cause === undefined ? undefined : String(record.cause),
    ...names,
  }
}

type RequestNames = ReturnType<ReturnType<typeof nameReader>>

/**
 * Returns a function that looks up the names of account and key, each only once, since the rows of a page share few of
 * them.
 */
function nameReader({ accounts, keys }: OperationServices['stores']) {
  const accountNames = new Map<string, string | undefined>()
  const keyNames = new Map<string, string | undefined>()
  return ({ accountId, keyId }: Pick<RequestRecord, 'accountId' | 'keyId'>) => ({
    accountName: known(accountNames, accountId, (id) => {
      const account = accounts.find(id)
      return account?.email ?? account?.name
    }),
    keyName: known(keyNames, keyId, (id) => keys.find(id)?.name),
  })
}

function known<Value>(found: Map<string, Value>, id: string | undefined, read: (id: string) => Value) {
  if (id === undefined) return undefined
  if (!found.has(id)) found.set(id, read(id))
  return found.get(id)
}
