import { expect, test } from 'bun:test'
import { openSite } from '../testing/site.ts'

const site = openSite()

test('A new account without SMTP: the copied sign-in link works once in another browser.', async () => {
  let link = ''
  await site.visit({ account: await site.operator() }, async ({ page }) => {
    await page.goto('/admin/accounts')
    await page.getByRole('button', { name: 'New account' }).first().click()
    await page.getByLabel('Mail address').fill('bea@example.org')
    await page.getByRole('dialog').getByRole('button', { name: 'New account' }).click()
    await page.getByRole('heading', { name: 'bea@example.org' }).waitFor()
    await page.getByRole('button', { name: 'Sign-in link' }).click()
    await page.getByRole('button', { name: 'Make link' }).click()
    link = await page.getByLabel('Sign-in link', { exact: true }).inputValue()
    await page.getByLabel('I have stored it').check()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })
  const path = link.replace(/^https?:\/\/[^/]+/, '')
  await site.visit({}, async ({ page }) => {
    await page.goto(path)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('bea@example.org').first().waitFor()
  })
  await site.visit({}, async ({ page }) => {
    await page.goto(path)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('This link was used before').waitFor()
  })
})

test('Adding $20 twice by a double click and by a repeated request changes the balance once; ledger, money page and account page show the same figure.', async () => {
  const { email } = await site.account()
  await site.visit({ account: await site.operator() }, async ({ page }) => {
    await page.goto(`/admin/accounts/${email}`)
    await page.getByRole('button', { name: 'Add funds' }).click()
    await page.getByLabel('Amount in USD').fill('20')
    await page.getByText('$20.00').waitFor()
    // The first answer is lost on its way, so that the operator sends the same again.
    let sent = 0
    await page.route('**/operations/ledger-credit', async (route) => {
      sent += 1
      const answer = await route.fetch()
      if (sent === 1) await route.fulfill({ status: 502, json: {} })
      else await route.fulfill({ response: answer })
    })
    const add = page.getByRole('dialog').getByRole('button', { name: 'Add funds' })
    await add.dblclick()
    await page
      .getByText('The server answered with status 502.')
      .or(page.getByText('The balance is $20.00 now.'))
      .waitFor()
    if (await add.isVisible()) await add.click()
    await page.getByText('The balance is $20.00 now.').waitFor()
    expect(sent).toBeGreaterThan(1)

    await page.locator('.big-figure', { hasText: /^\$20\.00$/ }).waitFor()
    await page.getByRole('tab', { name: 'Ledger' }).click()
    await page.getByRole('row', { name: 'Funds added' }).waitFor()
    expect(await page.getByRole('row', { name: 'Funds added' }).count()).toBe(1)
    await page.goto('/admin/money?tab=ledger')
    await page.getByRole('row', { name: 'Funds added' }).getByText('$20.00').first().waitFor()
    expect(await page.getByRole('row', { name: 'Funds added' }).count()).toBe(1)
    await page.locator('.sums').getByText('$20.00').first().waitFor()
  })
})

test('Ten vouchers are shown once, downloaded, one is redeemed by a user, and the table says by whom.', async () => {
  const account = await site.account()
  await site.visit({ account: await site.operator() }, async ({ page }) => {
    await page.goto('/admin/money')
    await page.getByRole('button', { name: 'Create vouchers' }).click()
    await page.getByLabel('Amount of each in USD').fill('2.5')
    await page.getByLabel('How many').fill('10')
    await page.getByRole('dialog').getByRole('button', { name: 'Create vouchers' }).click()
    const codes = ((await page.locator('.codes').textContent()) ?? '').trim().split('\n')
    expect(codes.length).toBe(10)
    expect(await page.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true)
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download as text' }).click()
    expect((await Bun.file(await (await downloading).path()).text()).trim().split('\n')).toEqual(codes)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.content()).not.toContain(codes[0] ?? '')

    const redeemed = await fetch(`${site.inferd.url}/dashboard/api/vouchers/redeem`, {
      method: 'POST',
      headers: {
        ...{ cookie: `inferd_session=${account.session}`, origin: site.inferd.url },
        'content-type': 'application/json',
      },
      body: JSON.stringify({ code: codes[3] }),
    })
    expect(redeemed.status).toBe(200)
    await page.getByRole('button', { name: 'Redeemed', exact: true }).click()
    await page.getByRole('row', { name: 'Redeemed acc_' }).waitFor()
    await page.getByRole('row', { name: 'Redeemed acc_' }).getByRole('link').click()
    await page.getByRole('heading', { name: account.email }).waitFor()
  })
})

test('Disabling an account ends its session in the other browser at its next call.', async () => {
  const account = await site.account()
  await site.visit({ account }, async ({ page: theirs }) => {
    await theirs.goto('/dashboard/keys')
    await theirs.getByRole('cell', { name: 'signup', exact: true }).waitFor()
    await site.visit({ account: await site.operator() }, async ({ page }) => {
      await page.goto(`/admin/accounts/${account.email}`)
      await page.getByRole('button', { name: 'Disable' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
      await page.getByText('is disabled.').waitFor()
    })
    await theirs.evaluate(() => globalThis.dispatchEvent(new Event('focus')))
    await theirs.getByRole('dialog', { name: 'Sign in again' }).waitFor()
  })
})

test('A setting that a flag has set shows its value in force, its source and its line of the file.', async () => {
  await site.visit({ account: await site.operator() }, async ({ page }) => {
    await page.goto('/admin/system?tab=settings')
    const port = page.getByRole('row', { name: /^port/ })
    await port.getByText('--port').waitFor()
    expect(await port.getByRole('button', { name: 'Copy: the line of port' }).isVisible()).toBe(true)
  })
})
