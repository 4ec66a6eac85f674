import { expect, test } from 'bun:test'
import { performed } from '../testing/accounts.ts'
import { figures, openChat, say, scripted } from '../testing/chat.ts'
import { addFakeModel } from '../testing/fake-models.ts'
import { openSite } from '../testing/site.ts'

const site = openSite()
addFakeModel(site.inferd, 'fake')

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

test('A member lets a team pay for the chat, its manager sees who used it, and after leaving the own account pays.', async () => {
  const [manager, member] = [await site.account(), await site.account({ balanceUsd: '1' })]
  const { id: team } = JSON.parse(await site.inferd.run('teams', 'create', 'Design', '--json'))
  await site.inferd.run('credit', team, '7')
  await site.inferd.run('teams', 'add', team, manager.email, '--role', 'manager')
  await site.inferd.run('teams', 'add', team, member.email)
  const paid = async (account?: string) =>
    (await performed(site.inferd, member, 'usage-report', { by: ['model'], account })).total.requests

  await site.visit({ account: member }, async ({ page }) => {
    await openChat(page, 'test/fake')
    const payFrom = page.getByRole('combobox', { name: 'Pay from' })
    await payFrom.selectOption('Design')
    await page.getByText('$7.00').waitFor()
    await say(page, scripted([{ text: 'First answer.' }]))
    await figures(page)
    expect([await paid(team), await paid()]).toEqual([1, 0])
    await page.reload()
    expect(await payFrom.locator('option:checked').textContent()).toBe('Design')

    await site.inferd.run('teams', 'remove', team, member.email)
    await say(page, scripted([{ text: 'Second answer.' }]))
    await page.getByText('The team that you chose no longer pays for you.').waitFor()
    expect(await paid()).toBe(0)
    await page.getByRole('button', { name: 'Retry' }).click()
    await figures(page)
    await page.getByRole('button', { name: 'Close' }).click()
    await payFrom.waitFor({ state: 'detached' })
    expect(await paid()).toBe(1)
  })

  await site.visit({ account: manager }, async ({ page }) => {
    await page.goto(`/dashboard/usage?payer=${team}&by=holder`)
    await page.getByRole('row', { name: member.email }).waitFor()
    await page.getByRole('button', { name: 'My account' }).click()
    await page.getByText('Nothing was used in this time.').waitFor()
  })
})
