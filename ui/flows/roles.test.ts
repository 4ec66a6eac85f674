import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { post, signIn } from '../testing/accounts.ts'
import { pageStates } from '../testing/page-states.ts'
import { openSite } from '../testing/site.ts'

const site = openSite()
const password = 'correct horse battery'

/** Returns a new account of the staff, with a session. */
async function staff(role: 'auditor' | 'treasurer') {
  const { email } = await site.account()
  await site.inferd.run('users', 'role', email, role)
  const { link } = JSON.parse(await site.inferd.run('admin', 'link', '--account', email, '--json')) as { link: string }
  const body = { token: new URL(link).hash.slice(1), name: role, password }
  await post(site.inferd, '/admin/api/setup', body)
  return { email, session: await signIn(site.inferd, email, password) }
}

const systemTabs = ['settings', 'prices', 'audit', 'log', 'backup', 'receivers'].map((tab) => `system?tab=${tab}`)
const ofAll = ['', 'models', 'requests', 'mail?tab=all', 'system', 'accounts', 'money', 'money?tab=ledger', 'usage']
const addresses = {
  auditor: [...ofAll, 'models/inferd/starter-chat', ...systemTabs],
  treasurer: ofAll,
}
const accountTabs = ['keys', 'limits', 'ledger', 'usage', 'sessions', 'audit']

/** Presses the buttons of a page one after the other, and sends the forms that they open. Returns how many they are. */
async function pressAll(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const settled = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    const shown = () =>
      [...document.querySelectorAll<HTMLButtonElement>('main button:not([role=tab], dialog *)')].filter(
        (button) => button.checkVisibility() && !button.disabled,
      )
    for (const menu of document.querySelectorAll<HTMLDetailsElement>('main details')) menu.open = true
    await settled()
    for (let at = 0; at < shown().length; at += 1) {
      shown()[at]?.click()
      await settled()
      const dialog = document.querySelector<HTMLDialogElement>('dialog[open]')
      for (const field of dialog?.querySelectorAll<HTMLInputElement>('input') ?? []) field.required = false
      dialog?.querySelector<HTMLButtonElement>('button[type=submit]')?.click()
      await settled()
      dialog?.dispatchEvent(new Event('cancel', { cancelable: true }))
      await settled()
    }
    return shown().length
  })
}

for (const role of ['auditor', 'treasurer'] as const) {
  test(`No page asks for what the role ${role} may not have, and no button that it shows is refused.`, async () => {
    const { email } = await site.account()
    await site.visit({ account: await staff(role) }, async ({ page }) => {
      const refused: string[] = []
      page.on('response', (response) => {
        if (response.status() === 403) refused.push(`${page.url()}: ${response.request().method()} ${response.url()}`)
      })
      let pressed = 0
      for (const path of [...addresses[role], ...accountTabs.map((tab) => `accounts/${email}?tab=${tab}`)]) {
        await pageStates.ready(page, `/admin/${path}`)
        pressed += await pressAll(page)
      }
      expect(refused).toEqual([])
      expect(pressed).toBeGreaterThan(0)
    })
  }, 60_000)
}
