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

test('`kill -9` of an engine shows failed, its last words and a restart count within 2 s; Restart brings it back; the request in flight is listed with charge $0.', async () => {
  const account = await site.operator()
  await site.visit({ account, size: 'wide' }, async ({ page, context }) => {
    await page.goto('/admin/models/test/shown')
    await page.getByRole('button', { name: 'Load', exact: true }).click()
    await page.getByText('ready 0/').waitFor()
    const answer = ask(30_000)
    await page.getByText('ready 1/').waitFor()
    const response = await context.request.post('/admin/api/operations/models-status', {
      ...{ data: {}, headers: { origin: site.inferd.url } },
    })
    const { result } = (await response.json()) as {
      result: { engines: readonly { modelId: string; pid: number | null }[] }
    }
    const pid = result.engines.find(({ modelId }) => modelId === 'test/shown')?.pid ?? 0
    expect(pid).toBeGreaterThan(0)
    process.kill(pid, 'SIGKILL')
    await page.getByRole('heading', { name: 'Last failure' }).waitFor({ timeout: 3_000 })
    await page.getByText('SIGKILL').first().waitFor({ timeout: 3_000 })
    await answer.then((each) => each.text())
    await page.goto('/admin/requests?tab=recent')
    await page
      .getByRole('row', { name: /test\/shown.*charged \$0/ })
      .first()
      .waitFor()
    await page.goto('/admin/models?search=shown')
    const restart = rowOf(page).getByRole('button', { name: 'Restart test/shown' })
    const load = rowOf(page).getByRole('button', { name: 'Load test/shown' })
    await restart.or(load).first().click()
    await rowOf(page).getByText('ready 0/').waitFor()
  })
})
