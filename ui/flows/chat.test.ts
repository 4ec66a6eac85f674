import { expect, test } from 'bun:test'
import type { Receipt } from '../../src/wire/pages/requests.ts'
import { figures, openChat, say, scripted } from '../testing/chat.ts'
import { addFakeModel } from '../testing/fake-models.ts'
import { openSite } from '../testing/site.ts'

const site = openSite()
addFakeModel(site.inferd, 'fake')

test('An answer streams with thinking folded, Stop ends it within a second, the figures and the receipt agree to the last digit.', async () => {
  const account = await site.account({ balanceUsd: '5' })
  await site.visit({ account }, async ({ page }) => {
    await openChat(page, 'test/fake')
    await say(
      page,
      scripted([
        { reasoning: 'Deep ' },
        { reasoning: 'thought.' },
        { text: 'The **answer** ' },
        { waitForCancel: true },
      ]),
    )
    const answer = page.locator('.answer-text')
    await answer.getByText('answer').waitFor()
    expect(await answer.locator('strong').innerText()).toBe('answer')
    const thinking = page.locator('details.thinking')
    expect(await thinking.getAttribute('open')).toBeNull()
    expect(await page.getByText('Deep thought.').isVisible()).toBe(false)
    await thinking.locator('summary').click()
    await page.getByText('Deep thought.').waitFor()

    const stopMs = await page.getByRole('button', { name: 'Stop' }).evaluate(async (button: HTMLElement) => {
      const startedAt = performance.now()
      button.click()
      while (document.querySelector('.stopped') === null) await new Promise(requestAnimationFrame)
      return performance.now() - startedAt
    })
    expect(stopMs).toBeLessThan(1_000)
    expect(await answer.innerText()).toContain('The answer')

    const shown = await figures(page)
    const response = await page.request.get(`/dashboard/api/requests/${shown.request}`)
    const receipt = (await response.json()) as Receipt
    expect(receipt.status).toBe('cancelled')
    expect(receipt.charged_usd).toBe('0.000011')
    expect(await page.locator('.stopped').innerText()).toBe('Stopped. Charged: $0.000011.')
    expect(shown).toMatchObject({ 'tokens in': '5', out: '3 (2 thinking)', cost: '$0.000011', end: 'stopped' })
    expect([receipt.prompt_tokens, receipt.completion_tokens, receipt.reasoning_tokens]).toEqual([5, 3, 2])
    await thinking.getByText(/^Thought for .* \(2 tokens\)$/).waitFor()
  })
})
