import { expect, test } from 'bun:test'
import { performed } from '../testing/accounts.ts'
import { openSite } from '../testing/site.ts'

const site = openSite()

test('An operator makes a team with two members, and its manager sees who uses its keys.', async () => {
  const [manager, member] = [await site.account(), await site.account()]
  let team = ''
  await site.visit({ account: await site.operator() }, async ({ page }) => {
    await page.goto('/admin/accounts')
    await page.getByRole('button', { name: 'Create team' }).first().click()
    await page.getByRole('dialog').getByRole('textbox').fill('Research')
    await page.getByRole('dialog').getByRole('button', { name: 'Create team' }).click()
    await page.getByRole('heading', { name: 'Research' }).waitFor()
    team = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await site.inferd.run('teams', 'add', team, manager.email, '--role', 'manager')
    await site.inferd.run('teams', 'add', team, member.email)
    await page.reload()
    await page.getByRole('row', { name: member.email }).waitFor()
  })
  await performed(site.inferd, member, 'keys-create', { name: 'laptop', account: team })
  for (const { account, holders } of [
    { account: manager, holders: 1 },
    { account: member, holders: 0 },
  ]) {
    await site.visit({ account }, async ({ page }) => {
      await page.goto(`/dashboard/keys?payer=${team}`)
      const row = page.getByRole('row', { name: 'laptop' })
      await row.waitFor()
      expect(await row.getByText(member.email).count()).toBe(holders)
    })
  }
})
