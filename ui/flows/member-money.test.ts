import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { RequestPage } from '../../src/wire/pages/requests.ts'
import { openSite } from '../testing/site.ts'

const site = openSite()

async function createVoucher(...flags: readonly string[]): Promise<{ readonly id: string; readonly code: string }> {
  const made = JSON.parse(await site.inferd.run('vouchers', 'create', '--amount', '5', '--json', ...flags))
  return (Array.isArray(made) ? made : made.vouchers)[0]
}

async function redeem(page: Page, code: string): Promise<void> {
  await page.getByLabel('Voucher code').fill(code)
  await page.getByRole('button', { name: 'Redeem' }).click()
}

async function ask(key: string, text: string): Promise<void> {
  const response = await fetch(`${site.inferd.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'inferd/starter-chat',
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
    await page.reload()
    await balance.getByText('$6.00').waitFor()
    await page.getByRole('cell', { name: '+$5.00' }).waitFor()
    expect(await page.getByRole('cell', { name: '+$5.00' }).count()).toBe(1)
  })
})

test('A balance of $0.000000777 and a cost of $0.000000001 are shown truthfully; nothing rounds a positive amount to $0.', async () => {
  const account = await site.account({ balanceUsd: '1' })
  await ask(account.key, 'Hello!')
  const poor = await site.account({ balanceUsd: '0.000000777' })
  await site.visit({ account: poor }, async ({ page }) => {
    await page.goto('/dashboard/billing')
    const balance = page.locator('.balance-card .money')
    await balance.waitFor()
    expect([await balance.textContent(), await balance.getAttribute('title')]).toEqual(['< $0.000001', '$0.000000777'])
    expect(await page.locator('.balance .money').getAttribute('title')).toBe('$0.000000777')
  })
  await site.visit({ account }, async ({ page }) => {
    await page.route('**/dashboard/api/requests?*', async (route) => {
      const answer = (await (await route.fetch()).json()) as RequestPage
      const data = answer.data.map((row) => ({ ...row, charged_usd: '0.000000001' }))
      await route.fulfill({ json: { ...answer, data } })
    })
    await page.goto('/dashboard/usage')
    const cost = page.getByTitle('$0.000000001', { exact: true })
    await cost.waitFor()
    expect(await cost.textContent()).toBe('< $0.000001')
  })
})

test('Usage of a day seen from Pacific/Auckland and America/Los_Angeles shows the same UTC sums, and the CSV’s sum equals the total on the page.', async () => {
  const account = await site.account({ balanceUsd: '1' })
  for (const text of ['Hello!', 'Hello again!']) await ask(account.key, text)
  const seen: string[][] = []
  for (const timezoneId of ['Pacific/Auckland', 'America/Los_Angeles']) {
    await site.visit({ account, timezoneId }, async ({ page }) => {
      await page.goto('/dashboard/usage')
      const today = page.getByRole('row', { name: `${new Date().toISOString().slice(0, 10)} not over yet` })
      await today.waitFor()
      seen.push(await today.locator('.number').allTextContents())
      const total = page.getByRole('row', { name: /^Total/ })
      expect(await total.locator('.number').allTextContents()).toEqual(seen[0] ?? [])

      const downloaded = page.waitForEvent('download')
      await page.getByRole('link', { name: 'CSV' }).click()
      const [head = '', ...lines] = (await Bun.file(await (await downloaded).path()).text()).trim().split('\r\n')
      const column = head.split(',').indexOf('cost_usd')
      const nano = lines.reduce((sum, line) => sum + Math.round(Number(line.split(',')[column]) * 1e9), 0)
      const shown = total.locator('.money')
      const exact = (await shown.getAttribute('title')) ?? (await shown.textContent()) ?? ''
      expect(nano).toBe(Math.round(Number(exact.replace('$', '')) * 1e9))
    })
  }
  expect(seen[0]?.[0]).toBe('2')
  expect(seen[1]).toEqual(seen[0] ?? [])
})

test('A receipt says what a request used, at which prices, and what it took from the balance.', async () => {
  const account = await site.account({ balanceUsd: '1' })
  await ask(account.key, 'Hello!')
  await site.visit({ account, size: 'narrow' }, async (visit) => {
    const { page } = visit
    await page.goto('/dashboard')
    await page.getByRole('link', { name: 'Receipt' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Price of output').waitFor()
    await dialog.getByText('Balance after it').waitFor()
    expect(await visit.axe()).toEqual([])
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('heading', { name: 'Usage', exact: true }).waitFor()
    expect(page.url()).not.toContain('request=')
  })
})
