import { expect, test } from 'bun:test'
import { scripted } from '../testing/chat.ts'
import { addFakeModel } from '../testing/fake-models.ts'
import { openSite } from '../testing/site.ts'
import { sizes } from '../testing/visit.ts'

const site = openSite()
addFakeModel(site.inferd, 'priced')
/** Model name of the greatest length, without a place for a line break */
const longName = `priced-${'x'.repeat(100)}`
addFakeModel(site.inferd, longName)

function ask(key: string, model: string): Promise<Response> {
  const content = scripted([{ text: 'One.' }], { promptTokens: 1_000 })
  return fetch(`${site.inferd.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content }] }),
  })
}

/** Sends a request that never ends, and leaves it after its first bytes. */
async function leave(key: string): Promise<void> {
  const leaving = new AbortController()
  const content = scripted([{ repeat: 100_000, script: [{ text: 'One ' }, { delayMs: 20 }] }])
  const response = await fetch(`${site.inferd.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'test/priced', stream: true, messages: [{ role: 'user', content }] }),
    signal: leaving.signal,
  })
  await response.body?.getReader().read()
  leaving.abort()
}

test('a request that was refused reads so, the receipt of a paid one has prices and what was held, and filters find it', async () => {
  const member = await site.account({ balanceUsd: '5' })
  expect((await ask(member.key, 'test/priced')).status).toBe(200)
  expect((await ask(member.key, 'test/none')).status).toBe(404)
  expect((await ask(site.inferd.key, `test/${longName}`)).status).toBe(200)
  await leave(member.key)
  await site.visit({ account: await site.operator() }, async (visit) => {
    const { page } = visit
    await page.goto('/admin/requests?tab=recent')
    await page.getByText('client left').waitFor()
    await page.goto('/admin/requests?tab=recent&status=4')
    await page.getByText('refused 404').waitFor()
    expect(
      await page.getByText('failed', { exact: false }).locator('visible=true').filter({ hasText: /^▲/ }).count(),
    ).toBe(0)

    await page.goto('/admin/requests?tab=recent&status=2')
    const rows = page.getByRole('row', { name: /complete/ })
    await rows.nth(1).waitFor()
    expect(await rows.count()).toBe(2)
    for (const width of [1_280, 1_279, 1_024, 1_023, 640, 390]) {
      await page.setViewportSize({ width, height: 800 })
      await visit.checkWidth(`requests at ${width} px`)
    }
    await page.setViewportSize(sizes.wide)
    // Without a pointer, the legend only names the lines, and no heading repeats its unit.
    const legend = page.locator('.u-legend').first()
    await legend.waitFor()
    // biome-ignore lint/performance/useDomNodeTextContent: parts of the legend that are not shown do not count.
    expect(await legend.innerText()).not.toMatch(/[:–]/)
    const headings = await page.locator('figcaption').allTextContents()
    expect(headings.filter((text) => /^(\w+) \1$/i.test(text.trim()))).toEqual([])
    await rows.filter({ hasText: member.email }).getByRole('button', { name: 'Details' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('$1.00 per 1M tokens').waitFor()
    await dialog.getByText('$2.00 per 1M tokens').waitFor()
    const fact = (name: string) =>
      dialog
        .locator('dt', { hasText: new RegExp(`^${name}$`) })
        .locator('xpath=following-sibling::dd')
        .textContent()
    // A thousand tokens at $1 per million, and one at $2.
    expect(await fact('Charged')).toBe('$0.001002')
    expect(await fact('Held')).toMatch(/^\$0\.\d+/)
    expect(await fact('Balance after it')).toMatch(/^\$\d+\.\d*8998$/)
    expect(await visit.axe()).toEqual([])

    await dialog.getByTitle('only this key').click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await rows.filter({ hasText: member.email }).waitFor()
    await page.getByText('refused 404').waitFor()
    expect(await page.getByRole('row').filter({ hasText: 'operator' }).count()).toBe(0)
    await page.getByLabel('Endpoint').selectOption('embeddings')
    await page.getByText('No request is like that.').waitFor()
  })
})
