import { expect, test } from 'bun:test'
import { toDocx } from '../../src/testing/office-files.ts'
import { toPdf } from '../../src/testing/pdfs.ts'
import { figures, give, openChat, say } from '../testing/chat.ts'
import { addFakeModel } from '../testing/fake-models.ts'
import { openSite } from '../testing/site.ts'

const site = openSite()
addFakeModel(site.inferd, 'reading')

const pdf = toPdf([{ lines: ['one'] }, { lines: ['two'] }, { lines: ['quincunx'] }])

test('A PDF that is dropped or pasted shows its pages and tokens before it is sent, is read, and stays in the conversation.', async () => {
  await site.visit({ account: await site.account({ balanceUsd: '5' }) }, async ({ page }) => {
    await openChat(page, 'test/reading')
    const list = page.locator('.composer .attachments li')
    await give(page, 'drop', pdf, 'report.pdf', 'application/pdf')
    await list
      .nth(0)
      .getByText(/^3 pages, \d+ tokens, 1\.1 kB$/)
      .waitFor()
    await give(page, 'paste', toDocx('<w:p><w:r><w:t>the omega</w:t></w:r></w:p>'), 'notes.docx', '')
    await list
      .nth(1)
      .getByText(/^\d+ tokens, [\d.]+ k?B$/)
      .waitFor()
    await give(page, 'drop', pdf.subarray(0, 300), 'cut.pdf', 'application/pdf')
    await page.getByRole('alert').getByText('cut.pdf: the document cannot be read').waitFor()
    expect(await list.count()).toBe(2)

    await say(page, 'What is it?')
    await figures(page)
    const answer = (await page.locator('.answer-text').textContent()) ?? ''
    expect(answer).toContain('quincunx')
    expect(answer).toContain('the omega')
    await page.reload()
    const kept = page.locator('.question .attachments li')
    await kept.nth(1).waitFor()
    expect(await kept.nth(0).textContent()).toContain('report.pdf')
  })
})
