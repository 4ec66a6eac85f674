/** Random histories of money, compared step by step with a model that is plain arithmetic. */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { nothingConsumed } from '../core/usage.ts'
import { endedRecord } from '../testing/ended-record.ts'
import { openTestAccounts, type TestAccounts } from '../testing/test-accounts.ts'
import { releaseHolds } from './holds.ts'

const histories = 500
const memoryFolder = '/dev/shm'

interface ModelHold {
  readonly account: number
  amount: number
  /** True if the account had a budget when the hold was made. */
  readonly isBudgeted: boolean
}

/** State that the books must have. */
interface Model {
  readonly balances: number[]
  /** Monthly budgets of the accounts */
  readonly budgets: (number | undefined)[]
  /** Costs of the accounts so far */
  readonly costs: number[]
  readonly holds: Map<string, ModelHold>
  readonly charged: Map<string, number>
  requests: number
}

/** Returns a team with a member who holds the key. */
function teamPayer({ stores, account }: TestAccounts) {
  const accountId = stores.accounts.createTeam('Research', 'cli:test')
  const holderId = account(0).accountId
  stores.teams.join(accountId, holderId, { role: 'member', source: 'hand' })
  return { accountId, keyId: stores.keys.create({ accountId, holderId, name: 'x' }).id }
}

/** Books in a file, so that a crash can discard everything that was not committed. */
interface Real {
  readonly path: string
  books: TestAccounts
  readonly payers: readonly { accountId: string; keyId: string }[]
}

type Step = (model: Model, real: Real) => Promise<void>

const account = fc.nat({ max: 1 })
const amount = fc.nat({ max: 60 })

function available({ balances, holds }: Model, account: number): number {
  const held = [...holds.values()].filter((hold) => hold.account === account)
  return (balances[account] ?? 0) - held.reduce((sum, { amount }) => sum + amount, 0)
}

/** Returns the amount that the account's budget still allows. */
function budgeted({ budgets, costs, holds }: Model, account: number): number {
  const held = [...holds.values()].filter((hold) => hold.account === account && hold.isBudgeted)
  const used = (costs[account] ?? 0) + held.reduce((sum, { amount }) => sum + amount, 0)
  return Math.max(0, (budgets[account] ?? Number.POSITIVE_INFINITY) - used)
}

/** Returns one of the open holds, chosen by any number. */
function pick(model: Model, index: number): [string, ModelHold] | undefined {
  const open = [...model.holds]
  return open[index % Math.max(1, open.length)]
}

function payerOf(real: Real, account: number) {
  const payer = real.payers[account]
  if (payer === undefined) throw new Error('no such account')
  return payer
}

function usageOf(real: Real, requestId: string, account: number, cost: number) {
  return {
    ...endedRecord,
    ...payerOf(real, account),
    requestId,
    endpoint: 'chat/completions',
    model: 'a/b',
    used: nothingConsumed,
    pricing: { unit: '1M_tokens' },
    costNanoUsd: cost,
    chargedNanoUsd: cost,
    isMetered: true,
    finish: 'stop',
  } as const
}

const credit = fc.tuple(account, fc.integer({ min: 1, max: 100 })).map(([account, amount]): Step => {
  return async (model, real) => {
    const { commits, ledger } = real.books.stores
    const { accountId } = payerOf(real, account)
    const entry = { accountId, kind: 'credit', amountNanoUsd: amount, actor: 'system' } as const
    model.balances[account] = (model.balances[account] ?? 0) + amount
    expect(await commits.run(() => ledger.append(entry))).toBe(model.balances[account])
  }
})

const hold = fc.tuple(account, fc.array(amount, { minLength: 1, maxLength: 4 })).map(([account, amounts]): Step => {
  return async (model, real) => {
    const asked = amounts.map((amount) => ({ amount, requestId: `req_${++model.requests}` }))
    const { holds } = real.books.stores
    const outcomes = await Promise.all(
      asked.map(({ amount, requestId }) => holds.hold({ ...payerOf(real, account), requestId, amountNanoUsd: amount })),
    )
    asked.forEach(({ amount, requestId }, index) => {
      const left = Math.min(available(model, account), budgeted(model, account))
      if (amount > left) expect(outcomes[index]).toMatchObject({ kind: 'insufficient', availableNanoUsd: left })
      else {
        expect(outcomes[index]).toEqual({ kind: 'held' })
        model.holds.set(requestId, { account, amount, isBudgeted: model.budgets[account] !== undefined })
      }
    })
  }
})

/** Returns the amount that the budget allows a request that holds some of it. */
function budgetedBeside(model: Model, requestId: string, { account }: ModelHold): number {
  const others = new Map([...model.holds].filter(([id]) => id !== requestId))
  return budgeted({ ...model, holds: others }, account)
}

const budget = fc.tuple(account, fc.option(fc.nat({ max: 150 }), { nil: undefined })).map(([account, limit]): Step => {
  return async (model, real) => {
    const { commits, limits } = real.books.stores
    await commits.run(() => limits.set(payerOf(real, account).accountId, { monthlyNanoUsd: limit }))
    model.budgets[account] = limit
  }
})

const extend = fc.tuple(fc.nat(), amount).map(([index, amount]): Step => {
  return async (model, real) => {
    const [requestId, hold] = pick(model, index) ?? []
    if (requestId === undefined || hold === undefined) return
    const outcome = await real.books.stores.holds.resize(requestId, amount)
    const budget = hold.isBudgeted ? budgetedBeside(model, requestId, hold) : Number.POSITIVE_INFINITY
    const most = Math.min(available(model, hold.account) + hold.amount, budget)
    if (amount > most) expect(outcome).toMatchObject({ kind: 'insufficient', availableNanoUsd: most })
    else {
      expect(outcome).toEqual({ kind: 'held' })
      hold.amount = amount
    }
  }
})

const settle = fc.tuple(fc.nat(), amount, fc.boolean()).map(([index, wanted, isTwice]): Step => {
  return async (model, real) => {
    const [requestId, hold] = pick(model, index) ?? []
    if (requestId === undefined || hold === undefined) return
    const { holds } = real.books.stores
    const entry = usageOf(real, requestId, hold.account, wanted)
    if (wanted > hold.amount) {
      await expect(holds.settle(entry)).rejects.toThrow('held')
      return
    }
    const attempts = await Promise.allSettled(
      isTwice ? [holds.settle(entry), holds.settle(entry)] : [holds.settle(entry)],
    )
    expect(attempts.map(({ status }) => status)).toEqual(isTwice ? ['fulfilled', 'rejected'] : ['fulfilled'])
    model.holds.delete(requestId)
    model.charged.set(requestId, wanted)
    model.costs[hold.account] = (model.costs[hold.account] ?? 0) + wanted
    model.balances[hold.account] = (model.balances[hold.account] ?? 0) - wanted
  }
})

const drop = fc.nat().map((index): Step => {
  return async (model, real) => {
    const [requestId] = pick(model, index) ?? []
    if (requestId === undefined) return
    await real.books.stores.holds.drop(requestId)
    model.holds.delete(requestId)
  }
})

/** Crash of the process while requested work is not committed yet. The next process starts on the same file. */
const crash = fc.nat().map((index): Step => {
  return async (model, real) => {
    const [requestId, hold] = pick(model, index) ?? []
    const { stores, database } = real.books
    if (requestId !== undefined && hold !== undefined) {
      stores.holds.settle(usageOf(real, requestId, hold.account, hold.amount)).catch(() => undefined)
    }
    database.close()
    real.books = openTestAccounts(real.path)
    expect(releaseHolds(real.books.database)).toBe(model.holds.size)
    model.holds.clear()
  }
})

const history = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: hold },
    { weight: 3, arbitrary: settle },
    { weight: 2, arbitrary: credit },
    { weight: 2, arbitrary: extend },
    { weight: 2, arbitrary: budget },
    { weight: 1, arbitrary: drop },
    { weight: 1, arbitrary: crash },
  ),
  { minLength: 5, maxLength: 30 },
)

/** Checks that the books agree with the model and with themselves. */
function check(model: Model, { path, payers, books }: Real): void {
  const reader = new Database(path, { readonly: true })
  try {
    const sum = (sql: string, id: string) => reader.query<{ sum: number }, [string]>(sql).get(id)?.sum
    payers.forEach(({ accountId }, account) => {
      const held = (model.balances[account] ?? 0) - available(model, account)
      expect(reader.query('SELECT balance, held FROM accounts WHERE id = ?').get(accountId)).toEqual({
        balance: model.balances[account],
        held,
      })
      expect(sum('SELECT coalesce(sum(amount), 0) AS sum FROM ledger WHERE account_id = ?', accountId)).toBe(
        model.balances[account],
      )
      expect(sum('SELECT coalesce(sum(amount), 0) AS sum FROM holds WHERE account_id = ?', accountId)).toBe(held)
      expect(model.balances[account]).toBeGreaterThanOrEqual(held)
      const [counted] = books.stores.holds.budgetsOf(accountId)
      const ofBudget = [...model.holds.values()].filter((hold) => hold.account === account && hold.isBudgeted)
      const budgeted = ofBudget.reduce((sum, { amount }) => sum + amount, 0)
      if (model.budgets[account] === undefined) expect(counted).toBeUndefined()
      else expect(counted).toMatchObject({ spentNanoUsd: model.costs[account], heldNanoUsd: budgeted })
    })
    const rows = reader
      .query<{ request_id: string; charged: number }, []>('SELECT request_id, charged FROM usage')
      .all()
    expect(new Map(rows.map((row) => [row.request_id, row.charged]))).toEqual(model.charged)
  } finally {
    reader.close()
  }
}

test(`in ${histories} random histories no nano-USD appears, disappears or is promised twice`, async () => {
  // In memory where the system has such a folder: here the process dies and not the machine, so no commit needs a disk.
  const folder = mkdtempSync(join(existsSync(memoryFolder) ? memoryFolder : tmpdir(), 'inferd-test-'))
  let run = 0
  try {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const path = join(folder, `${++run}.db`)
        const books = openTestAccounts(path)
        const real: Real = { path, books, payers: [books.account(0), teamPayer(books)] }
        const empty = { balances: [0, 0], budgets: [undefined, undefined], costs: [0, 0] }
        const model: Model = { ...empty, holds: new Map(), charged: new Map(), requests: 0 }
        for (const step of steps) {
          await step(model, real)
          check(model, real)
        }
        real.books[Symbol.dispose]()
        for (const name of readdirSync(folder)) rmSync(join(folder, name))
      }),
      { numRuns: histories },
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}, 240_000)
