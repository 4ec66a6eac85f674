import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { toNano } from '../parts/money-text.ts'
import type { TestAccount } from '../testing/accounts.ts'
import { addFakeModel } from '../testing/fake-models.ts'
import { dayAgo, dayStartIn, recordUsage, throughDay } from '../testing/record-usage.ts'
import { openSite } from '../testing/site.ts'
import { csvSum, readUsagePage, type UsagePageText } from '../testing/usage-page.ts'

const site = openSite()
// Model whose output tokens cost $0.000000001 each
addFakeModel(site.inferd, 'nano', { prices: { input: 0, output: 0.001 } })
addFakeModel(site.inferd, 'usual')

let made: Promise<TestAccount> | undefined

/** Returns an account with money, shared by several tests: there are five signups a day from one address. */
function payer(): Promise<TestAccount> {
  made ??= site.account({ balanceUsd: '1' })
  return made
}

async function createVoucher(...flags: readonly string[]): Promise<{ readonly id: string; readonly code: string }> {
  const made = JSON.parse(await site.inferd.run('vouchers', 'create', '--amount', '5', '--json', ...flags))
  return (Array.isArray(made) ? made : made.vouchers)[0]
}

async function redeem(page: Page, code: string): Promise<void> {
  await page.getByLabel('Voucher code').fill(code)
  await page.getByRole('button', { name: 'Redeem' }).click()
}

async function ask(key: string, text: string, model: string): Promise<void> {
  const response = await fetch(`${site.inferd.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      messages: [{ role: 'user', content: text }],
      max_tokens: 4,
    }),
  })
  expect(response.status).toBe(200)
  await response.text()
}

test('A voucher typed with blanks, in small letters, used, expired and wrong gives the right words each; the balance changes once.', async () => {
  const voucher = await createVoucher()
  const expired = await createVoucher('--expires-days', '1')
  using database = new Database(join(site.inferd.dataDir, 'inferd.db'))
  database.run('UPDATE vouchers SET expires = 1 WHERE id = ?', [expired.id])
  const foreign = await createVoucher()
  await site.visit({ account: await payer() }, async ({ page }) => {
    await page.goto('/dashboard/billing')
    await redeem(page, foreign.code)
    await page.getByText('$5.00 was added.').waitFor()
  })
  await site.visit({ account: await site.account({ balanceUsd: '1' }) }, async ({ page }) => {
    await page.goto('/dashboard/billing')
    const balance = page.locator('.balance-card .amount')
    await redeem(page, 'ABCD-EFGH-JKLM')
    await page.getByText('There is no such voucher.').waitFor()
    await redeem(page, expired.code)
    await page.getByText('This voucher has expired.').waitFor()
    expect(await balance.textContent()).toBe('$1.00')

    await redeem(page, `  ${voucher.code.toLowerCase().replaceAll('-', ' ')} `)
    await page.getByText('$5.00 was added. The balance is $6.00 now.').waitFor()
    await balance.getByText('$6.00').waitFor()
    await page.getByRole('cell', { name: '+$5.00' }).waitFor()

    await redeem(page, voucher.code)
    await page.getByText('This voucher was redeemed before. It was you').waitFor()
    await redeem(page, foreign.code)
    await page.getByText('This voucher was redeemed before.', { exact: true }).waitFor()
    await page.reload()
    await balance.getByText('$6.00').waitFor()
    await page.getByRole('cell', { name: '+$5.00' }).waitFor()
    expect(await page.getByRole('cell', { name: '+$5.00' }).count()).toBe(1)
  })
})

/** Returns the number of amounts that are shown as zero. */
async function zeros(page: Page): Promise<number> {
  const amounts = await page.locator('body *:not(:has(*))', { hasText: '$' }).allTextContents()
  return amounts.filter((text) => /^[-+ ]*\$0(\.0*)?$/.test(text.trim())).length
}

test('A balance of $0.000000777 and a cost of $0.000000001 are shown truthfully; nothing rounds a positive amount to $0.', async () => {
  const account = await site.account({ balanceUsd: '0.000000778' })
  await ask(account.key, 'Hi', 'test/nano')
  await site.visit({ account }, async ({ page }) => {
    const exactly = (usd: string) => page.getByTitle(usd, { exact: true })
    await page.goto('/dashboard/billing')
    const balance = page.locator('.balance-card')
    await balance.getByText('exactly $0.000000777').waitFor()
    const large = balance.locator('.amount .money')
    expect([await large.textContent(), await large.getAttribute('title')]).toEqual(['< $0.000001', '$0.000000777'])
    expect(await page.locator('.balance .money').getAttribute('title')).toBe('$0.000000777')
    await page.locator('.month-sums').waitFor()
    expect(await page.locator('.month-sums dd').allTextContents()).toEqual([
      ...['$0', '+$0.000000778', '-$0.000000001', '$0.000000777'],
    ])
    const charge = page.getByRole('row', { name: 'test/nano' }).locator('.money')
    expect(await charge.allTextContents()).toEqual(['> -$0.000001', '< $0.000001'])
    expect(await charge.first().getAttribute('title')).toBe('-$0.000000001')
    // Zeros are the month's opening balance, and the line of the account's creation.
    expect(await zeros(page)).toBe(3)

    await page.goto('/dashboard/keys')
    await exactly('$0.000000001').waitFor()
    expect(await zeros(page)).toBe(0)

    await page.goto('/dashboard/usage')
    await page.locator('.usage-total').getByText('$0.000000001', { exact: true }).waitFor()
    // The tick's line has no height, so it counts as invisible.
    await page.locator('.ticks').getByText('$0.000000001', { exact: true }).waitFor({ state: 'attached' })
    expect(await page.locator('.day-bar').last().getAttribute('title')).toContain('test/nano: $0.000000001')
    // The amount is shown for the day, for the request, and in the table below the chart.
    await page.getByRole('link', { name: 'Receipt' }).waitFor()
    expect(await exactly('$0.000000001').count()).toBe(3)
    expect(await zeros(page)).toBe(0)

    await page.getByRole('link', { name: 'Receipt' }).click()
    const fact = (name: string) =>
      page
        .getByRole('dialog')
        .locator('.facts > div', { has: page.getByText(name, { exact: true }) })
        .locator('dd')
    await fact('Charged').waitFor()
    expect(await fact('Cost').textContent()).toBe('$0.000000001')
    expect(await fact('Charged').textContent()).toBe('$0.000000001')
    expect(await fact('Balance after it').textContent()).toBe('$0.000000777')
    expect(await fact('Price of output').textContent()).toMatch(/^\$0\.001 per 1M\stokens$/)
  })
  await site.visit({ account: await site.operator() }, async ({ page }) => {
    await page.goto(`/admin/accounts?search=${account.email}`)
    const row = page.getByRole('row', { name: account.email })
    await row.getByTitle('$0.000000777', { exact: true }).waitFor()
    await row.getByTitle('$0.000000001', { exact: true }).waitFor()
    await page.goto('/admin/usage?by=account')
    await page.getByRole('row', { name: account.email }).getByTitle('$0.000000001', { exact: true }).first().waitFor()
    expect(await page.getByRole('row', { name: account.email }).getByText('< $0.000001').count()).toBe(1)
  })
})

test('Usage of a day seen from Pacific/Auckland and America/Los_Angeles shows the same UTC sums, and the CSV’s sum equals the total on the page.', async () => {
  const account = await site.account()
  const [first, second] = [dayAgo(3), dayAgo(2)]
  recordUsage(site.inferd, account.email, [...throughDay(first, 1_000), ...throughDay(second, 2_000)])
  const seen: UsagePageText[][] = []
  for (const [timezoneId, size] of [
    ['Pacific/Auckland', 'wide'],
    ['America/Los_Angeles', 'narrow'],
  ] as const) {
    await site.visit({ account, timezoneId, size }, async (visit) => {
      const { page } = visit
      const ofZone: UsagePageText[] = []
      for (const by of ['day', 'model', 'key']) {
        await page.goto(`/dashboard/usage?range=span&from=${first}&to=${second}&by=${by}`)
        await page.getByText(`a day starts at ${dayStartIn(timezoneId)} your time`).waitFor()
        const text = await readUsagePage(page)
        expect({ by, total: text.total }).toEqual({ by, total: '$0.003333' })
        expect(csvSum(text)).toBe(toNano('0.003333') ?? 0n)
        ofZone.push(text)
      }
      // The requests of the same days are listed below the sums.
      await page.getByRole('table', { name: 'Requests', exact: true }).waitFor()
      expect(await page.getByRole('table', { name: 'Requests', exact: true }).locator('tbody tr').count()).toBe(8)
      await page.goto(`/dashboard/usage?range=span&from=${first}&to=${first}`)
      await page.getByRole('table', { name: 'Requests', exact: true }).waitFor()
      expect(await page.getByRole('table', { name: 'Requests', exact: true }).locator('tbody tr').count()).toBe(4)
      expect(await visit.axe()).toEqual([])
      seen.push(ofZone)
    })
  }
  expect(seen[0]?.[0]?.rows).toEqual([
    [second, '4', '40', '16', '20', '$0', '$0.002222', '66.7 %'],
    [first, '4', '40', '16', '20', '$0', '$0.001111', '33.3 %'],
  ])
  expect(seen[0]?.[0]?.bars).toEqual([`${first}\ntest/one: $0.001111`, `${second}\ntest/one: $0.002222`])
  expect(seen[1]).toEqual(seen[0] ?? [])
})

test('The usage of an account is narrowed to a model or a key, along with the requests below.', async () => {
  const account = await site.account()
  const day = dayAgo(1)
  const dear = throughDay(day, 5_000).map((row) => ({ ...row, model: 'test/dear' }))
  recordUsage(site.inferd, account.email, [...throughDay(day, 1_000), ...dear])
  await site.visit({ account }, async ({ page }) => {
    const total = page.locator('.usage-total b')
    const requests = page.getByRole('table', { name: 'Requests', exact: true }).locator('tbody tr')
    await page.goto('/dashboard/usage')
    await total.getByText('$0.006666', { exact: true }).waitFor()
    await requests.nth(7).waitFor()
    await page.getByLabel('Model').selectOption('test/dear')
    await total.getByText('$0.005555', { exact: true }).waitFor()
    await requests.nth(4).waitFor({ state: 'detached' })
    expect(await requests.count()).toBe(4)
    await page.getByLabel('Key').selectOption({ label: 'signup' })
    await page.reload()
    await total.getByText('$0.005555', { exact: true }).waitFor()

    // A row of the table opens the same view, and the link back works.
    await page.goto('/dashboard/usage?by=model')
    await page.getByRole('link', { name: 'test/one' }).click()
    await total.getByText('$0.001111', { exact: true }).waitFor()
    await page.goBack()
    await total.getByText('$0.006666', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Failed' }).click()
    await page.getByText('No requests of this kind in this time.').waitFor()
  })
})

test('A receipt says what a request used, at which prices, and what it took from the balance.', async () => {
  const account = await payer()
  await ask(account.key, 'Hello!', 'test/usual')
  await site.visit({ account, size: 'narrow' }, async (visit) => {
    const { page } = visit
    await page.goto('/dashboard/usage')
    await page.getByRole('link', { name: 'Receipt' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Price of output').waitFor()
    await dialog.getByText('Balance after it').waitFor()
    expect(await visit.axe()).toEqual([])
    // The dialog's address opens it again.
    const address = page.url()
    await page.reload()
    const names = ['Tokens in', 'Tokens out', 'Ran', 'Price of input', 'Held', 'Charged', 'Balance after it']
    for (const name of names) await dialog.getByText(name, { exact: true }).waitFor()
    expect(page.url()).toBe(address)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('heading', { name: 'Usage & billing' }).waitFor()
    expect(page.url()).not.toContain('request=')
  })
})

test('What was estimated is told of requests, on their receipts and in sums.', async () => {
  const account = await payer()
  const rows = throughDay(dayAgo(1), 1_000).map((row, index) => ({
    ...row,
    model: 'test/told',
    isEstimated: index > 0,
  }))
  recordUsage(site.inferd, account.email, rows)
  await site.visit({ account, size: 'narrow' }, async (visit) => {
    const { page } = visit
    await page.goto('/dashboard/usage?model=test/told')
    const total = page.locator('.usage-total')
    await total.getByText('Estimated requests').waitFor()
    await total.getByText('$0.00111', { exact: true }).waitFor()
    const requests = page.getByRole('table', { name: 'Requests', exact: true }).locator('tbody tr')
    await requests.nth(3).waitFor()
    expect(await requests.filter({ hasText: 'estimated' }).count()).toBe(3)
    expect(await visit.axe()).toEqual([])
    await requests.filter({ hasText: 'estimated' }).first().getByRole('link').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('its tokens are estimated').waitFor()
    expect(await visit.axe()).toEqual([])
  })
})

test('What running requests hold is shown beside the balance, until they end.', async () => {
  const account = await payer()
  const leaving = new AbortController()
  const content = JSON.stringify({ script: [{ text: 'Wait' }, { waitForCancel: true }] })
  const response = await fetch(`${site.inferd.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ model: 'test/usual', stream: true, max_tokens: 100 },
      messages: [{ role: 'user', content }],
    }),
    signal: leaving.signal,
  })
  expect(response.status).toBe(200)
  // An unread response is abandoned, and its request with it.
  const reading = response.text().catch(() => undefined)
  await site.visit({ account }, async ({ page }) => {
    await page.goto('/dashboard/billing')
    const held = page.locator('.balance-card p', { hasText: 'held by 1 running request' })
    await held.waitFor()
    // The hold is for 5 prompt tokens at $1 per 1M, and up to 100 output tokens at $2.
    expect(await held.locator('.money').textContent()).toBe('$0.000205')
    leaving.abort()
    // The page reloads its data on focus.
    const isReleased = () => {
      dispatchEvent(new Event('focus'))
      return !document.body.textContent.includes('running request')
    }
    await page.waitForFunction(isReleased, undefined, { polling: 500 })
    await reading
  })
})
