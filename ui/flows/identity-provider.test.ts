import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { certifiedClient, startCertifiedProvider } from '../../src/testing/certified-provider.ts'
import { openSite } from '../testing/site.ts'

const provider = await startCertifiedProvider()
afterAll(() => provider[Symbol.asyncDispose]())

const ada = { email: 'ada@example.org', email_verified: true, name: 'Ada', groups: ['staff'] }
provider.people.set('ada', ada)

const site = openSite({ environment: { INFERD_OIDC_COMPANY_SECRET: certifiedClient.clientSecret } })

writeFileSync(
  join(site.inferd.dataDir, 'config.toml'),
  `[oidc.company]
issuer = "${provider.issuer}"
client_id = "${certifiedClient.clientId}"
label = "Company"
allowed_groups = ["staff"]
[oidc.company.roles]
auditor = ["revision"]
`,
)

test('An operator who signed in by a password links the company on the Account page, and then signs in with it.', async () => {
  provider.serve(site.inferd.url)
  provider.people.set('olga', { ...ada, email: 'olga@example.org', name: 'Olga' })
  await site.visit({ account: await site.operator() }, async ({ page, context, wrongs }) => {
    await page.goto('/dashboard/account')
    await page.getByRole('link', { name: 'Link Company' }).click()
    await page.getByRole('link', { name: 'olga' }).click()
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
    await page.getByRole('link', { name: 'Link Company' }).waitFor({ state: 'detached' })
    await context.clearCookies({ name: 'inferd_session' })
    await page.goto('/admin')
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    expect(
      wrongs.splice(0).filter((wrong) => !wrong.startsWith(`request to another host: ${provider.issuer}/`)),
    ).toEqual([])
  })
  provider.people.delete('olga')
})

test('Sign in with the company, open the wanted page, be signed in again without a question, get a role, be disabled, lose the group, sign out there too.', async () => {
  provider.serve(site.inferd.url)
  await site.visit({}, async ({ page, context, wrongs }) => {
    await page.goto('/dashboard/keys')
    await page.getByRole('link', { name: 'Sign in with Company' }).click()
    await page.getByRole('link', { name: 'ada' }).click()
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
    await page.getByText('ada@example.org').first().waitFor()

    // A session that has ended comes back by itself, with what the provider says now.
    provider.people.set('ada', { ...ada, groups: ['staff', 'revision'] })
    await context.clearCookies({ name: 'inferd_session' })
    await page.goto('/admin/accounts')
    await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor()

    // Who is disabled here is refused at the next request, whatever the provider says.
    await site.inferd.run('users', 'disable', 'ada@example.org')
    await page.goto('/dashboard/keys')
    await page.getByText('This account is disabled.').waitFor()
    await site.inferd.run('users', 'enable', 'ada@example.org')

    // In none of the groups any more, even in a browser of their own.
    provider.people.set('ada', { ...ada, groups: [] })
    const other = await context.newPage()
    await other.goto('/dashboard/sign-in')
    await other.goto(`${site.inferd.url}/oidc/start/company`)
    await other.getByText('You are in none of the groups that may use this server.').waitFor()
    await other.close()

    provider.people.set('ada', ada)
    await page.goto('/dashboard/account')
    await page.getByRole('link', { name: 'Sign in with Company' }).click()
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
    await page.locator('.account-menu summary').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    // The provider asks whether to end its own session too.
    await page.waitForURL(`${provider.issuer}/**`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/dashboard/sign-in')
    await page.getByRole('link', { name: 'Sign in with Company' }).click()
    await page.getByRole('link', { name: 'ada' }).waitFor()
    const foreign = wrongs
      .splice(0)
      .filter((wrong) => !wrong.startsWith(`request to another host: ${provider.issuer}/`))
    expect(foreign).toEqual([])
  })
})
