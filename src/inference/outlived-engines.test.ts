/**
 * Charges of requests whose engines crash on a GPU without output and which the CPU answers: a stub library, real
 * engines.
 */
import { afterAll, afterEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkIntegrity } from '../billing/integrity.ts'
import { ownerOf } from '../core/owner.ts'
import { chatRequest } from '../testing/chat-request.ts'
import { testPool } from '../testing/engine-pool.ts'
import { testEngineSettings } from '../testing/engine-settings.ts'
import { resolvedModel } from '../testing/resolved-model.ts'
import { stubBox } from '../testing/stub-backend/stub-box.ts'
import { openTestAccounts } from '../testing/test-accounts.ts'
import { testPayment } from '../testing/test-payment.ts'
import { runWork } from './run-work.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-outlived-'))
const diesFile = join(folder, 'dies')
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => rmSync(diesFile, { force: true }))

const model = join(import.meta.dir, '../../models/starter/starter-chat-q8_0.gguf')
const pricing = { inputNanoUsd: 1_000_000, outputNanoUsd: 3_000_000, unit: '1M_tokens' } as const
const resolved = resolvedModel(
  { id: 'test/starter', type: 'chat', engine: 'llama', contextLength: 1024, pricing },
  { filePaths: { model } },
)
const balanceNanoUsd = 1_000_000

async function box() {
  const { backends, spawn } = await stubBox(folder, { cuda: 'CRASHES_LATER' }, { diesFile })
  const pool = testPool({
    ...{ spawn, backends, settings: { ...testEngineSettings, device: 'auto' } },
    runtime: (wanted, kind) => backends.runtime(wanted, kind),
  })
  const books = openTestAccounts()
  const account = books.account(balanceNanoUsd)
  const status = () => pool.status().find(({ modelId }) => modelId === 'test/starter')
  /**
   * Sends a request. `onAgain` is absent for streamed answers. `onStart` is called at the start of a long answer,
   * whose tokens are granted one by one.
   */
  const ask = async (requestId: string, signal?: AbortSignal, onAgain?: () => void, onStart?: () => void) => {
    const { accountId, keyId } = account
    const request = { requestId, endpoint: 'chat/completions', accountId, keyId, owner: ownerOf({ accountId }) }
    const payment = testPayment({ till: books.stores.holds, request, sliceTokens: 1, ...(signal && { signal }) })
    const work = { kind: 'chat', request: chatRequest(onStart === undefined ? { maxTokens: 4 } : {}) } as const
    const types: string[] = []
    for await (const { type } of runWork({ work, resolved, pool, payment, onAgain }).events) {
      if (type === 'start') onStart?.()
      types.push(type)
    }
    return types
  }
  const rows = () => books.stores.usage.list({ accountId: account.accountId })
  const charges = () =>
    books.stores.ledger.list({ accountId: account.accountId, kind: 'usage' }).map(({ requestId }) => requestId)
  return {
    ...{ books, status, ask, rows, charges },
    load: () => pool.load({ manifest: resolved.entry.manifest, filePaths: { model } }),
    money: () => books.money(account.accountId),
    [Symbol.asyncDispose]: async () => {
      await pool.stop()
      books[Symbol.dispose]()
    },
  }
}

for (const onAgain of [undefined, () => undefined]) {
  const kind = onAgain === undefined ? 'streamed' : 'whole'
  test(`a ${kind} answer that a third engine gives is charged once, for that run`, async () => {
    await using machine = await box()
    await machine.load()
    writeFileSync(diesFile, '')
    const types = await machine.ask('req_third', undefined, onAgain)
    expect(types.at(-1)).toBe('finish')
    expect(machine.status()).toMatchObject({ info: { device: 'cpu' }, restarts: 2 })
    await machine.ask('req_after')
    const [after, third, ...others] = machine.rows()
    expect(others).toEqual([])
    expect(third?.requestId).toBe('req_third')
    for (const count of ['promptTokens', 'completionTokens', 'reasoningTokens'] as const)
      expect(third?.used[count]).toBe(after?.used[count] ?? -1)
    expect([third?.finish, third?.chargedNanoUsd]).toEqual(['length', 9 + 4 * 3])
    expect(machine.charges()).toEqual(['req_after', 'req_third'])
    expect(machine.money().held).toBe(0)
    expect(checkIntegrity(machine.books.database).problems).toEqual([])
  })
}

test('a client that leaves while the third engine starts pays nothing, and nothing stays held', async () => {
  await using machine = await box()
  await machine.load()
  const before = machine.money().balance
  const client = new AbortController()
  const die = () => writeFileSync(diesFile, '')
  const asked = machine
    .ask('req_left', client.signal, () => undefined, die)
    .then(
      () => 'answered',
      () => 'left',
    )
  while (machine.status()?.restarts !== 2) await new Promise(setImmediate)
  client.abort()
  expect(await asked).toBe('left')
  expect(machine.rows()[0]).toMatchObject({ requestId: 'req_left', finish: 'failed', chargedNanoUsd: 0 })
  expect(machine.money()).toEqual({ balance: before, held: 0 })
  expect(checkIntegrity(machine.books.database).problems).toEqual([])
})
