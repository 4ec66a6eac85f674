import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { signInOperator } from '../testing/accounts.ts'
import { openSite } from '../testing/site.ts'

const received: string[] = []
let status = 200
const receiver = Bun.serve({
  ...{ hostname: '127.0.0.1', port: 0 },
  fetch: async (request) => {
    received.push(Object(await request.json()).type)
    return new Response(null, { status })
  },
})
afterAll(() => receiver.stop(true))

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const site = openSite()

test('An operator sees that nothing leaves the box; then its receivers, and that a webhook takes a test event or refuses it. An auditor sees no test.', async () => {
  const account = await site.operator()
  await site.visit({ account }, async ({ page }) => {
    await page.goto('/admin/system?tab=receivers')
    await page.getByText('Nothing leaves this box.').waitFor()
  })
  await site.inferd.stop()
  const url = `http://127.0.0.1:${receiver.port}/hidden-path`
  const file = `[[webhooks]]\nname = "operators"\nurl = "${url}"\nevents = ["model.failed"]\nsecret = "${secret}"\n`
  writeFileSync(join(site.inferd.dataDir, 'config.toml'), file)
  await site.inferd.start(['--records-file', join(site.inferd.dataDir, 'records.jsonl')])
  await site.visit({ account }, async ({ page }) => {
    await page.goto('/admin/system?tab=receivers')
    await page.getByRole('cell', { name: 'works' }).waitFor()
    const test = page.getByRole('button', { name: 'Send a test operators' })
    await test.click()
    await page.getByText('operators took the test event.').waitFor()
    await page.getByRole('cell', { name: 'webhook.test' }).waitFor()
    status = 500
    await test.click()
    await page.getByText('operators did not take the test event: status 500.').waitFor()
    await page.getByRole('cell', { name: 'given up: status 500' }).waitFor()
    const shown = await page.content()
    expect([shown.includes('hidden-path'), shown.includes(secret)]).toEqual([false, false])
  })
  const { email } = await site.account()
  await site.inferd.run('users', 'role', email, 'auditor')
  const auditor = await signInOperator(site.inferd, email)
  await site.visit({ account: auditor }, async ({ page }) => {
    await page.goto('/admin/system?tab=receivers')
    await page.getByRole('cell', { name: 'works' }).waitFor()
    expect(await page.getByRole('button', { name: 'Send a test' }).count()).toBe(0)
  })
  expect(received).toEqual(['webhook.test', 'webhook.test'])
}, 60_000)
