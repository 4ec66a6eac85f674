import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { scripted } from '../testing/chat.ts'
import { addFakeModel } from '../testing/fake-models.ts'
import { openSite } from '../testing/site.ts'

const site = openSite()
addFakeModel(site.inferd, 'shown')

/** The chat of a program, whose answer takes as long as it is let. */
function ask(waitMs: number): Promise<Response> {
  const content = scripted([{ text: 'One.' }, { delayMs: waitMs }])
  return fetch(`${site.inferd.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${site.inferd.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'test/shown', messages: [{ role: 'user', content }] }),
  })
}

const rowOf = (page: Page) => page.getByRole('row', { name: /test\/shown/ })

test('Loading a model shows its segment growing on the device bar, then slots and tokens/s while a request runs, and the segment gone after Unload.', async () => {
  await site.visit({ account: await site.operator() }, async ({ page, context }) => {
    const overview = await context.newPage()
    await overview.goto('/admin')
    const memory = overview.getByRole('region', { name: 'Memory' })
    await memory.getByText('free').first().waitFor()
    expect(await memory.getByRole('link', { name: 'test/shown' }).count()).toBe(0)
    await page.goto('/admin/models?search=shown')
    await rowOf(page).getByRole('button', { name: 'Load test/shown' }).click()
    await rowOf(page).getByText('ready 0/').waitFor()
    await memory.getByRole('link', { name: 'test/shown' }).waitFor()
    const answer = ask(3_000)
    await rowOf(page).getByText('ready 1/').waitFor()
    await rowOf(overview).getByText('1/').waitFor()
    await answer
    await rowOf(page).getByRole('button', { name: 'Unload test/shown' }).click()
    await rowOf(page).getByText('not loaded').waitFor()
    await memory.getByRole('link', { name: 'test/shown' }).waitFor({ state: 'detached' })
  })
})
