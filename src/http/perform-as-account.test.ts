/** Results as accounts see them have exactly these fields. */
import { afterAll, expect, test } from 'bun:test'
import { nothingConsumed } from '../core/usage.ts'
import { type AccountOperation, accountAnswers } from '../operations/account-answers.ts'
import { isFor, isOperation, operations } from '../operations/operations.ts'
import { DashboardClient } from '../testing/dashboard-client.ts'
import { endedRecord } from '../testing/ended-record.ts'
import { startTestServer } from '../testing/test-server.ts'

const server = startTestServer()
afterAll(() => server[Symbol.asyncDispose]())

const { accountId, keyId } = server.payer(1_000_000_000)
const browser = DashboardClient.signedIn(server, accountId)
const voucher = server.stores.vouchers.create({ amountNanoUsd: 20, count: 1, actor: 'operator:acc_1' })[0]
server.stores.usage.insert({
  ...endedRecord,
  ...{ requestId: 'req_1', accountId, keyId, endpoint: 'chat/completions', model: 'test/fake', finish: 'failed' },
  ...{ used: nothingConsumed, pricing: { unit: '1M_tokens' }, costNanoUsd: 5, chargedNanoUsd: 0, isMetered: true },
  ...{ cause: new Error('private'), code: 'internal' },
})
const team = server.stores.accounts.createTeam('Research', 'cli:test')
server.stores.teams.join(team, accountId, { role: 'manager', source: 'hand' })
const spareKey = server.stores.keys.create({ accountId, name: 'spare' }).id

const used = [
  ...['used.promptTokens', 'used.cachedTokens', 'used.completionTokens', 'used.reasoningTokens'],
  ...['used.characters', 'used.audioMs', 'used.images'],
]
const request = [
  ...['requestId', 'createdMs', 'endpoint', 'model', 'keyId', 'keyName', 'finish', 'costUsd', 'chargedUsd'],
  ...[...used, 'used.searches'],
  ...['queuedMs', 'loadingMs', 'firstOutputMs', 'runningMs', 'isEstimated'],
]
const sums = [
  ...['requests', ...used.map((field) => field.replace('used.', '')), 'costUsd', 'chargedUsd'],
  ...['estimatedRequests', 'estimatedCostUsd'],
]
const always = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }

const limitFields = [
  ...['dailyUsd', 'monthlyUsd', 'requestsPerMinute', 'tokensPerMinute', 'parallel'],
  ...['models', 'endpoints', 'networks'],
]
const limitState = [
  'subject',
  ...limitFields,
  ...limitFields.map((field) => `own.${field}`),
  ...['per', 'limitUsd', 'spentUsd', 'heldUsd', 'leftUsd', 'resetMs'].map((field) => `budgets.${field}`),
  ...['running', 'requestsLeft', 'tokensLeft'],
]

/** Operations on a second factor are for operators, and have a test of their own. */
type MembersOperation = Exclude<AccountOperation, `second-factor-${string}`>

/** Input of each operation, and the fields of its answer. */
const shown: Readonly<Record<MembersOperation, readonly [input: object, fields: readonly string[]]>> = {
  'keys-list': [
    {},
    [
      ...[
        'id',
        'accountId',
        'holderId',
        'name',
        'prefix',
        'isPlayground',
        'createdMs',
        'expiresAtMs',
        'revokedAtMs',
        'lastUsedMs',
      ],
      'cost30DaysUsd',
    ],
  ],
  'teams-list-own': [
    {},
    [...['id', 'name', 'role'], ...['accountId', 'email', 'name', 'role'].map((field) => `members.${field}`)],
  ],
  'keys-create': [{ name: 'new' }, ['id', 'name', 'prefix', 'key']],
  'keys-rename': [{ key: spareKey, name: 'renamed' }, ['id', 'name']],
  'keys-revoke': [{ key: spareKey }, ['id']],
  'limits-set': [{ subject: spareKey, monthlyUsd: '5' }, limitState],
  'limits-show': [{ subject: spareKey }, limitState],
  'usage-report': [
    { by: ['key', 'model'] },
    [
      ...['by', 'id', 'label'].map((field) => `rows.groups.${field}`),
      ...sums.map((field) => `rows.${field}`),
      ...sums.map((field) => `total.${field}`),
    ],
  ],
  'usage-list': [{}, request],
  'usage-receipt': [
    { request: 'req_1' },
    [
      ...request,
      ...['unit', 'inputUsd', 'cachedInputUsd', 'outputUsd', 'priceUsd', 'searchUsd'].map(
        (field) => `pricing.${field}`,
      ),
      ...['heldUsd', 'balanceAfterUsd'],
    ],
  ],
  'statement-list': [
    always,
    ['id', 'createdMs', 'kind', 'amountUsd', 'balanceAfterUsd', 'requestId', 'model', 'keyName', 'memo'],
  ],
  'statement-sum': [always, ['openingUsd', 'addedUsd', 'spentUsd', 'closingUsd']],
  'statement-days': [{}, ['day', 'balanceUsd', 'addedUsd']],
  'vouchers-redeem': [{ code: voucher?.code }, ['amountUsd', 'balanceUsd']],
  'sessions-list': [{}, ['id', 'createdMs', 'lastUsedMs', 'address', 'userAgent', 'isCurrent', 'role']],
  'sessions-end': [{}, ['ended']],
  'accounts-show-own': [
    {},
    [
      ...['id', 'email', 'name', 'createdMs', 'isUnmetered', 'balanceUsd', 'heldUsd'].map(
        (field) => `account.${field}`,
      ),
      ...['isConfirmed', 'hasPassword', 'secondFactor', 'runningRequests', 'spent7DaysUsd', 'daysLeft'],
      ...['id', 'name', 'role', 'balanceUsd'].map((field) => `teams.${field}`),
    ],
  ],
  'accounts-rename-own': [{ name: 'Ada' }, ['name']],
  'accounts-resend-confirmation': [{}, ['isConfirmed', 'sendsMail']],
  'accounts-set-password': [{ new: 'countess-of-l' }, []],
  'models-loading': [{}, ['id', 'state', 'loadedFraction', 'loadingSinceMs', 'waiting', 'loadMs']],
}

/** Returns the paths of all fields of a value. Items of a list share theirs. */
function fieldsOf(value: unknown, path: readonly string[] = []): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => fieldsOf(item, path)))]
  if (typeof value !== 'object' || value === null) return path.length === 0 ? [] : [path.join('.')]
  return Object.entries(value).flatMap(([name, part]) => fieldsOf(part, [...path, name]))
}

test.each(Object.entries(shown))('%s shows these fields alone', async (name, [input, fields]) => {
  const { status, result } = await browser.perform(name, input)
  expect({ status, fields: fieldsOf(result).toSorted() }).toEqual({ status: 200, fields: fields.toSorted() })
})

test('an operation is performed for pages of accounts once its fields are listed', async () => {
  const unlisted = Object.keys(operations).filter((name) => !Object.hasOwn(accountAnswers, name))
  const own = unlisted.filter((name) => isOperation(name) && isFor('account', name))
  expect(own).toEqual(['accounts-export', 'accounts-export-rows', 'keys-ensure-playground'])
  for (const name of [...unlisted, 'none', '__proto__', 'constructor']) {
    const answer = await browser.perform(name)
    expect({ name, ...answer }).toMatchObject({ name, status: 404, json: { error: { code: 'not_found' } } })
  }
})

test.each([
  [
    'keys-create',
    {},
    'missing_required_parameter',
    'name',
    "'name' is required: it takes 1 to 100 characters on one line.",
  ],
  ['keys-create', { name: '' }, 'invalid_value', 'name', "'name' takes 1 to 100 characters on one line."],
  ['vouchers-redeem', { code: 1 }, 'invalid_value', 'code', "'code' must be a string of at most 100 characters."],
  ['keys-list', { secret: 1 }, 'invalid_value', 'secret', "'secret' is not a field of this operation."],
  ['usage-report', { by: ['account'] }, 'invalid_value', 'by', "'by' takes one or two of day, model, key, holder."],
])('%s %j is refused in words', async (name, input, code, param, message) => {
  const { status, json } = await browser.perform(name, input)
  expect({ status, ...json.error }).toMatchObject({ status: 400, code, param, message })
})
