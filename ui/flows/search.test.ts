import { expect, test } from 'bun:test'
import { openSite } from '../testing/site.ts'

const site = openSite()

test("Embedding three texts shows a symmetric matrix with 1.00 on its diagonal; rerank order equals the API's.", async () => {
  await site.visit({ account: await site.account({ balanceUsd: '1' }) }, async ({ page }) => {
    await page.goto('/dashboard/search')
    await page.getByLabel('Texts, one a line').fill('a train\n\nanother train\nan open window')
    await page.getByRole('button', { name: 'Compare' }).click()
    const rows = page.getByRole('table').locator('tbody tr')
    await rows.nth(2).waitFor()
    const matrix = await rows.evaluateAll((found) =>
      found.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)),
    )
    expect(matrix.map((row, index) => row[index])).toEqual(['1.00', '1.00', '1.00'])
    for (const [row, values] of matrix.entries()) {
      expect(values).toEqual(matrix.map((other) => other[row] ?? ''))
    }
    expect(Number(matrix[0]?.[1])).toBeGreaterThan(Number(matrix[0]?.[2]))

    const documents = ['The train leaves at nine.', 'Reset the password here.', 'Choose a new password.']
    const query = 'choose a password'
    await page.getByRole('tab', { name: 'Rank documents' }).click()
    await page.getByLabel('Query').fill(query)
    await page.getByLabel('Documents, one a line').fill(documents.join('\n'))
    await page.getByRole('button', { name: 'Rank', exact: true }).click()
    await page.locator('.rank-text').nth(2).waitFor()
    const response = await fetch(`${site.inferd.url}/v1/rerank`, {
      method: 'POST',
      headers: { authorization: `Bearer ${site.inferd.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'inferd/starter-rerank', query, documents }),
    })
    const { results } = (await response.json()) as { results: { index: number; relevance_score: number }[] }
    expect(await page.locator('.rank-text').allTextContents()).toEqual(
      results.map(({ index }) => documents[index] ?? ''),
    )
    await page.getByLabel('Order').selectOption('as sent')
    expect(await page.locator('.rank-text').allTextContents()).toEqual(documents)
  })
})

test('More than 20 texts are refused before sending, and an error names the text that it is about.', async () => {
  await site.visit({ account: await site.account({ balanceUsd: '1' }) }, async ({ page }) => {
    await page.goto('/dashboard/search')
    const field = page.getByLabel('Texts, one a line')
    const compare = page.getByRole('button', { name: 'Compare' })
    await field.fill(Array.from({ length: 21 }, (_, index) => `text ${index}`).join('\n'))
    await page.getByText('Compare at most 20 texts at once').waitFor()
    expect(await compare.isDisabled()).toBe(true)
    await field.fill(`short\n${'long words '.repeat(600)}`)
    await compare.click()
    await page.getByText('This is about text 2: “long words').waitFor()
  })
})
