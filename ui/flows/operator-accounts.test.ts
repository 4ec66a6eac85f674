import { expect, test } from 'bun:test'
import { openSite } from '../testing/site.ts'

const site = openSite()

test('A new account without SMTP: the copied sign-in link works once in another browser.', async () => {
  let link = ''
  await site.visit({ account: await site.operator() }, async ({ page }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto('/admin/accounts')
    await page.getByRole('button', { name: 'Create account' }).first().click()
    await page.getByLabel('Mail address').fill('bea@example.org')
    await page.getByRole('dialog').getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'bea@example.org' }).waitFor()
    await page.getByText('never: a sign-in link lets its owner in').waitFor()
    await page.getByRole('button', { name: 'Sign-in link' }).click()
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByRole('button', { name: 'Copy: Sign-in link' }).click()
    await page.getByText('Copied', { exact: true }).waitFor()
    link = await page.evaluate(() => navigator.clipboard.readText())
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })
  expect(new URL(link).origin).toBe(site.inferd.url)
  expect(JSON.parse(await site.inferd.run('outbox', '--json'))).toEqual([])
  await site.visit({}, async ({ page }) => {
    await page.goto(link)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/dashboard/chat')
    await page.goto('/dashboard/account')
    await page.getByText('bea@example.org').filter({ visible: true }).first().waitFor()
  })
  await site.visit({}, async ({ page }) => {
    await page.goto(link)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('This link was used before').waitFor()
    expect(await page.context().cookies()).toEqual([])
  })
  await site.visit({ account: await site.operator() }, async ({ page }) => {
    await page.goto('/admin/accounts/bea@example.org?tab=sessions')
    await page.getByRole('button', { name: 'End all sessions' }).waitFor()
    expect(await page.getByRole('button', { name: /^End (?!all)/ }).count()).toBe(1)
    expect(await page.getByText('unconfirmed').count()).toBe(0)
    await page.getByRole('tab', { name: 'Audit' }).click()
    await page.getByRole('row', { name: 'account.link' }).waitFor()
  })
})

test('Long and hostile names and addresses stay in their columns, and all columns in the window.', async () => {
  const email = `${'w'.repeat(60)}@${'example'.repeat(8)}.org`
  await site.inferd.run('users', 'create', email, '--name', `${'W'.repeat(70)} \u202e<b>"`)
  for (const size of ['narrow', 'medium', 'wide'] as const) {
    await site.visit({ account: await site.operator(), size }, async (visit) => {
      const { page } = visit
      for (const path of ['accounts', `accounts/${email}`, `accounts/${email}?tab=audit`, 'money?tab=ledger']) {
        await page.goto(`/admin/${path}`)
        await page.getByText(email).filter({ visible: true }).first().waitFor()
        await visit.checkWidth()
      }
      await page.goto('/admin/accounts')
      const balance = page.getByRole('row', { name: email }).getByText('$0', { exact: true }).last()
      const { x = 0, width = 0 } = (await balance.boundingBox()) ?? {}
      expect(x + width).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0)
    })
  }
})

test('Of the operator’s own account and of a disabled one the page says why there is no sign-in link.', async () => {
  const { email } = await site.account()
  await site.inferd.run('users', 'disable', email)
  const [own] = JSON.parse(await site.inferd.run('users', 'list', '--state', 'operator', '--json'))
  await site.visit({ account: await site.operator() }, async ({ page }) => {
    await page.goto(`/admin/accounts/${email}`)
    await page.getByText('Sign-in links do not work while the account is disabled.').waitFor()
    expect(await page.getByRole('button', { name: 'Sign-in link' }).isDisabled()).toBe(true)
    await page.goto(`/admin/accounts/${own.id}`)
    await page.getByText('This is the operator’s own account').waitFor()
    for (const name of ['Sign-in link', 'Disable', 'Charge its use', 'Add funds'])
      expect(await page.getByRole('button', { name }).count()).toBe(0)
  })
})

test('Disabling an account ends its session in the other browser at its next call.', async () => {
  const account = await site.account()
  await site.visit({ account }, async ({ page: theirs }) => {
    await theirs.goto('/dashboard/keys')
    const key = theirs.getByRole('cell', { name: 'signup', exact: true })
    await key.waitFor()
    await site.visit({ account: await site.operator() }, async ({ page }) => {
      await page.goto(`/admin/accounts/${account.email}?tab=sessions`)
      await page.getByRole('button', { name: /^End (?!all)/ }).waitFor()
      await page.getByRole('button', { name: 'Disable' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('Its keys and sessions stop working at once.').waitFor()
      await dialog.getByRole('button', { name: 'Disable' }).click()
      await page.getByText(`${account.email} is disabled.`).waitFor()
      await page.getByText('Nobody is signed in to this account.').waitFor()
    })
    expect(await theirs.getByRole('dialog').count()).toBe(0)
    await theirs.getByRole('button', { name: 'Create key' }).first().click()
    await theirs.getByLabel('Name').fill('laptop')
    await theirs.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    const again = theirs.getByRole('dialog', { name: 'Sign in again' })
    await again.getByLabel('Password').fill(account.password)
    await again.getByRole('button', { name: 'Sign in' }).click()
    await again.getByText('do not go together').waitFor()
  })
  const { keys } = JSON.parse(await site.inferd.run('users', 'show', account.email, '--json'))
  expect(keys.map(({ name }: { name: string }) => name)).toEqual(['signup'])
  const models = await fetch(`${site.inferd.url}/v1/account`, { headers: { authorization: `Bearer ${account.key}` } })
  expect(models.status).toBe(401)
})
