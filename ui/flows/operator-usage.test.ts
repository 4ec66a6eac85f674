import { expect, test } from 'bun:test'
import { toNano } from '../parts/money-sum.ts'
import { openSite } from '../testing/site.ts'

const site = openSite()

test('Usage of a day seen from Pacific/Auckland and America/Los_Angeles shows the same UTC sums, and the CSV’s sum equals the total on the page.', async () => {
  const { key } = await site.account({ balanceUsd: '5' })
  for (const content of ['One.', 'Two and three.', 'Four, five, six.']) {
    const answer = await fetch(`${site.inferd.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'inferd/starter-chat', max_tokens: 8, messages: [{ role: 'user', content }] }),
    })
    expect(answer.status).toBe(200)
  }
  const seen: string[] = []
  for (const timezoneId of ['Pacific/Auckland', 'America/Los_Angeles']) {
    await site.visit({ account: await site.operator(), timezoneId }, async ({ page }) => {
      await page.goto('/admin/usage?range=today&by=day')
      const day = new Date().toISOString().slice(0, 10)
      await page.getByRole('row', { name: day }).waitFor()
      await page.getByRole('img', { name: 'Bars of cost' }).waitFor()
      const row = (await page.getByRole('row', { name: day }).textContent()) ?? ''
      expect(row).toStartWith(`${day}3`)
      const total = (await page.locator('.figures b').first().textContent()) ?? ''
      const downloading = page.waitForEvent('download')
      await page.getByRole('button', { name: 'CSV' }).click()
      const [names = '', ...lines] = (await Bun.file(await (await downloading).path()).text()).trim().split('\r\n')
      const column = names.split(',').indexOf('costUsd')
      const sum = lines.reduce((before, line) => before + (toNano(line.split(',')[column] ?? '') ?? 0n), 0n)
      expect(sum).toBeGreaterThan(0n)
      expect(sum).toBe(toNano(total.slice(1)) ?? 0n)
      seen.push(row + total)
    })
  }
  expect(seen[0]).toBe(seen[1] ?? '')
})
