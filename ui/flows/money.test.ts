import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { openSite } from '../testing/site.ts'
import { sizes } from '../testing/visit.ts'

const site = openSite()

/** Returns the page's text for a sum, such as "All balances". */
function sum(page: Page, name: string) {
  return page
    .locator('.sums > div', { has: page.getByText(name, { exact: true }) })
    .locator('dd')
    .textContent()
}

/**
 * Keeps the first answer to an operation back until `loseFirst` is called, then loses it. `isDone` resolves when the
 * server has done the operation. Other answers get through.
 */
async function loseFirstAnswer(page: Page, operation: string) {
  const sent: { readonly idempotencyKey: string }[] = []
  const { promise: lost, resolve: loseFirst } = Promise.withResolvers<void>()
  const { promise: isDone, resolve: done } = Promise.withResolvers<void>()
  await page.route(`**/operations/${operation}`, async (route) => {
    const isFirst = sent.push(route.request().postDataJSON()) === 1
    const response = await route.fetch()
    if (!isFirst) return route.fulfill({ response })
    done()
    await lost
    await route.abort('connectionreset')
  })
  return { sent, isDone, loseFirst }
}

test('Adding $20 twice by a double click and by a repeated request changes the balance once; ledger, money page and account page show the same figure.', async () => {
  const account = await site.account()
  await site.visit({ account: await site.operator() }, async ({ page }) => {
    await page.goto(`/admin/accounts/${account.email}`)
    await page.getByRole('button', { name: 'Add funds' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Amount in USD').fill('20')
    await dialog.getByLabel('Memo').fill('invoice 7')
    await dialog.locator('.figures').getByText('$20.00', { exact: true }).waitFor()
    const { sent, isDone, loseFirst } = await loseFirstAnswer(page, 'ledger-credit')
    const add = dialog.getByRole('button', { name: 'Add funds' })
    await add.dblclick()
    await dialog.locator('[aria-busy=true]').waitFor()
    await isDone
    expect(sent).toHaveLength(1)
    loseFirst()
    // Without an answer the page checks the server, finds it, and lets the operator repeat the request.
    await dialog.locator('[aria-busy=false]:enabled').waitFor()
    await add.click()
    await page.getByText('The balance is $20.00 now.').waitFor()
    expect(sent).toHaveLength(2)
    expect(sent[1]).toEqual(sent[0])

    await page.locator('.big-figure', { hasText: /^\$20\.00$/ }).waitFor()
    await page.getByRole('tab', { name: 'Ledger' }).click()
    const line = page.getByRole('row', { name: 'invoice 7' })
    await line.waitFor()
    expect(await line.count()).toBe(1)
    expect(await line.locator('.money').allTextContents()).toEqual(['+$20.00', '$20.00'])
    await page.goto('/admin/money?tab=ledger')
    await line.waitFor()
    expect(await line.count()).toBe(1)
    expect(await line.locator('.money').allTextContents()).toEqual(['+$20.00', '$20.00'])
    expect(await sum(page, 'All balances')).toBe('$20.00')
    expect(await sum(page, 'Added by hand')).toBe('$20.00')
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('The books add up.').waitFor()

    // As after a check that took too long. The end of the visit looks whether the page is too wide.
    await page.route('**/operations/doctor-latest', async (route) => {
      const response = await route.fetch()
      const text = (await response.text()).replaceAll('"verdict":"ok"', '"verdict":"unknown"')
      await route.fulfill({ response, body: text })
    })
    await page.setViewportSize(sizes.narrow)
    await page.reload()
    await page.getByText('Whether the books add up').waitFor()
  })
  await site.visit({ account }, async ({ page }) => {
    await page.goto('/dashboard/billing')
    await page.getByRole('row', { name: 'invoice 7' }).waitFor()
    await page.locator('.balance-card .amount', { hasText: /^\$20\.00$/ }).waitFor()
  })
})

test('More than $1,000 is typed twice, and taking away more than there is says what there is.', async () => {
  const { email } = await site.account()
  await site.visit({ account: await site.operator() }, async ({ page }) => {
    await page.goto(`/admin/accounts/${email}`)
    await page.getByRole('button', { name: 'Add funds' }).click()
    const dialog = page.getByRole('dialog')
    const [amount, again] = [dialog.getByLabel('Amount in USD'), dialog.getByLabel('The amount once more')]
    await amount.fill('1000')
    expect(await again.isVisible()).toBe(false)
    await amount.fill('1000.01')
    await again.fill('100.01')
    const add = dialog.getByRole('button', { name: 'Add funds' })
    await add.click()
    await dialog.getByText('The two amounts are not the same.').waitFor()
    await amount.fill('-5')
    await add.click()
    await dialog.getByText('at most $0 can be taken away').waitFor()
    await amount.fill('1000.01')
    await again.fill('1,000.01')
    await add.click()
    await dialog.getByText('The two amounts are not the same.').waitFor()
    await again.fill('1000.010')
    await add.click()
    await page.getByText('The balance is $1,000.01 now.').waitFor()
  })
})

test('Ten vouchers are shown once, downloaded, one is redeemed by a user, and the table says by whom.', async () => {
  const account = await site.account()
  let codes: string[] = []
  await site.visit({ account: await site.operator() }, async ({ page }) => {
    await page.goto('/admin/money')
    await page.getByRole('button', { name: 'Create vouchers' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Amount of each in USD').fill('2.5')
    await dialog.getByLabel('How many').fill('10')
    const { sent, isDone, loseFirst } = await loseFirstAnswer(page, 'vouchers-create')
    const create = dialog.getByRole('button', { name: 'Create vouchers' })
    await create.dblclick()
    await dialog.locator('[aria-busy=true]').waitFor()
    await isDone
    loseFirst()
    await dialog.locator('[aria-busy=false]:enabled').waitFor()
    await create.click()

    const shown = page.locator('.codes')
    codes = ((await shown.textContent()) ?? '').trim().split('\n')
    expect(new Set(codes).size).toBe(10)
    expect(sent).toHaveLength(2)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    expect(await shown.isVisible()).toBe(true)
    const done = page.getByRole('button', { name: 'Done' })
    expect(await done.isDisabled()).toBe(true)
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('.slips li').filter({ visible: true }).count()).toBe(10)
    expect(await page.getByRole('heading', { name: 'Money' }).isVisible()).toBe(false)
    await page.emulateMedia({ media: 'screen' })
    expect(await page.locator('.slips li').filter({ visible: true }).count()).toBe(0)

    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download as text' }).click()
    expect((await Bun.file(await (await downloading).path()).text()).trim().split('\n')).toEqual(codes)
    await done.click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    for (const code of codes) expect(await page.content()).not.toContain(code)
    expect(await page.getByRole('row', { name: 'Open' }).count()).toBe(10)
    expect(await sum(page, 'Vouchers open')).toBe('$25.00')
  })
  await site.visit({ account }, async ({ page }) => {
    await page.goto('/dashboard/billing')
    await page
      .getByLabel('Voucher')
      .first()
      .fill(codes[3] ?? '')
    await page.getByRole('button', { name: 'Redeem' }).click()
    await page.locator('.balance-card .amount', { hasText: /^\$2\.50$/ }).waitFor()
  })
  await site.visit({ account: await site.operator() }, async ({ page }) => {
    await page.goto('/admin/money')
    await page.getByRole('row', { name: `Redeemed ${account.email}` }).waitFor()
    expect(await page.getByRole('row', { name: 'Open' }).count()).toBe(9)
    await page.getByRole('button', { name: 'Redeemed', exact: true }).click()
    await page.getByRole('row', { name: 'Open' }).first().waitFor({ state: 'detached' })
    expect(await page.getByRole('row', { name: `Redeemed ${account.email}` }).count()).toBe(1)
    await page
      .getByRole('row', { name: `Redeemed ${account.email}` })
      .getByRole('link')
      .click()
    await page.getByRole('heading', { name: account.email }).waitFor()
  })
})

test('The ledger of one kind is downloaded as it is shown, with all digits.', async () => {
  const { email } = await site.account({ balanceUsd: '0.000000777' })
  await site.inferd.run('credit', email, '-0.000000001', '--memo', '=1+1')
  await site.visit({ account: await site.operator() }, async ({ page }) => {
    await page.goto('/admin/money?tab=ledger')
    await page.getByRole('row', { name: 'Taken away' }).waitFor()
    await page.getByRole('button', { name: 'Taken away' }).click()
    await page.getByRole('row', { name: 'Signup' }).first().waitFor({ state: 'detached' })
    expect(await page.getByRole('row').count()).toBe(2)
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'CSV' }).click()
    const lines = (await Bun.file(await (await downloading).path()).text()).trim().split('\r\n')
    expect(lines).toHaveLength(2)
    expect(lines[1]).toMatch(/,adjustment,-0\.000000001,0\.000000776,cli:[^,]+,,,'=1\+1$/)
  })
})

test('An operator’s page comes back by itself after a stop of the server, with what has changed meanwhile.', async () => {
  const { email } = await site.account()
  await site.visit({ account: await site.operator() }, async ({ page }) => {
    await page.goto(`/admin/accounts/${email}`)
    await page.locator('.big-figure', { hasText: '$0' }).waitFor()
    await page.evaluate(() => Object.assign(globalThis, { isSameDocument: true }))
    await site.inferd.stop()
    await page.getByRole('tab', { name: 'Ledger' }).click()
    const bar = page.getByText(/No connection to inferd since \d\d:\d\d:\d\d, trying again/)
    await bar.waitFor()
    expect(await page.getByRole('button', { name: 'Add funds' }).isDisabled()).toBe(true)
    expect(await page.getByRole('button', { name: 'Disable' }).isDisabled()).toBe(true)
    await site.inferd.run('credit', email, '3.5')
    await site.inferd.start()
    await bar.waitFor({ state: 'detached', timeout: 60_000 })
    await page.locator('.big-figure', { hasText: '$3.50' }).waitFor()
    await page.getByRole('row', { name: 'Funds added' }).waitFor()
    expect(await page.getByRole('button', { name: 'Add funds' }).isEnabled()).toBe(true)
    expect(await page.evaluate(() => 'isSameDocument' in globalThis)).toBe(true)
  })
})
