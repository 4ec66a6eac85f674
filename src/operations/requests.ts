/** Requests to models: those that run, those that ended lately, and all that were paid. Nothing of what was said. */
import { Type } from '@sinclair/typebox'
import type { UsageRow } from '../billing/usage-store.ts'
import type { RequestView } from '../core/live.ts'
import type { RequestPage } from '../telemetry/recent-requests.ts'
import { accountReference, lineOf, page, wholeNumber } from './fields.ts'
import { findAccount } from './find-account.ts'
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
    statusClass: Type.Optional(wholeNumber(2, 5)),
    slowerThanMs: Type.Optional(wholeNumber(0, 1_000_000_000)),
  },
  { description: 'is an object of conditions', additionalProperties: false },
)

const usualLimit = 100

/** What a request is listed with, wherever it is known from. */
export interface ListedRequest extends Omit<RequestView, 'status'> {
  /** Undefined while it runs, and of paid requests that ended well. */
  readonly status: number | undefined
  /** What people call its account and its key. */
  readonly accountName: string | undefined
  readonly keyName: string | undefined
  /** Of paid requests. */
  readonly chargedNanoUsd: number | undefined
}

/** The latest first. `sinceMs`: what runs and what is recent is known since the server started; undefined: none runs. */
export const listRequests = operation({
  callers: ['operator'],
  kind: 'read',
  asksServer: true,
  input: Type.Object({ tab: lineOf(tabRule, 10), filter: Type.Optional(filter), ...page }),
  run: (context, input) => {
    const { stores } = context
    const { tab, limit = usualLimit, before } = input
    const account = input.filter?.account && findAccount(stores, input.filter.account).id
    const wanted = { filter: { ...input.filter, account }, limit, before }
    const named = nameReader(stores)
    const rows = (): readonly (RequestView & Pick<ListedRequest, 'chargedNanoUsd'>)[] => {
      if (tab === 'paid') return listPaid(stores, wanted)
      if (tab !== 'running' && tab !== 'recent') {
        throw new OperationError({ code: 'invalid_input', field: 'tab', rule: tabRule, value: tab })
      }
      return required(context.requests)
        [tab](wanted)
        .map((view) => ({ ...view, chargedNanoUsd: undefined }))
    }
    return { sinceMs: context.requests?.sinceMs, rows: rows().map((row): ListedRequest => ({ ...row, ...named(row) })) }
  },
})

/** Ends a request as if the server stopped: its client is told so, and nothing is charged. */
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

function listPaid({ usage }: OperationServices['stores'], { filter = {}, limit, before }: RequestPage) {
  const { model, account, key, endpoint, statusClass, slowerThanMs } = filter
  if (statusClass !== undefined && statusClass !== 2 && statusClass !== 5) return []
  const hasFailed = statusClass === undefined ? undefined : statusClass === 5
  return usage
    .list({ accountId: account, keyId: key, model, endpoint, hasFailed, slowerThanMs, limit, before })
    .map(fromUsage)
}

function fromUsage(row: UsageRow): RequestView & Pick<ListedRequest, 'chargedNanoUsd'> {
  const waitedMs = row.loadingMs ?? row.queuedMs
  const durationMs = (waitedMs ?? 0) + (row.runningMs ?? 0)
  return {
    id: row.requestId,
    state: 'ended',
    endpoint: row.endpoint,
    accountId: row.accountId,
    keyId: row.keyId,
    callerRequestId: undefined,
    model: row.model,
    startedMs: row.createdMs - durationMs,
    waitedMs,
    firstOutputMs: row.firstOutputMs,
    durationMs,
    promptTokens: row.used.promptTokens,
    cachedTokens: row.used.cachedTokens,
    outputTokens: row.used.completionTokens,
    status: undefined,
    isAborted: row.finish === 'client_disconnect',
    code: undefined,
    finish: row.finish,
    costNanoUsd: row.costNanoUsd,
    isEstimated: row.isEstimated,
    chargedNanoUsd: row.chargedNanoUsd,
    cause: undefined,
  }
}

/** Rows of a page share few accounts and keys: each is looked up once. */
function nameReader({ accounts, keys }: OperationServices['stores']) {
  const accountNames = new Map<string, string | undefined>()
  const keyNames = new Map<string, string | undefined>()
  return ({ accountId, keyId }: Pick<RequestView, 'accountId' | 'keyId'>) => ({
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
