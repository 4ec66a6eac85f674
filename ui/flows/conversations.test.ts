import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { figures, openChat, say } from '../testing/chat.ts'
import { addFakeModel } from '../testing/fake-models.ts'
import { openSite } from '../testing/site.ts'

const site = openSite()
addFakeModel(site.inferd, 'fake')

const row = (page: Page, title: string) => page.locator('.conversations li').filter({ hasText: title })

/** Says something and waits for the whole answer. */
async function ask(page: Page, text: string): Promise<void> {
  await say(page, text)
  await page.locator('.exchange').last().getByText(text, { exact: true }).first().waitFor()
  await figures(page)
}

async function choose(page: Page, title: string, action: string): Promise<void> {
  await row(page, title).locator('summary').click()
  await row(page, title).getByRole('button', { name: action, exact: true }).click()
}

interface KeptFile {
  readonly exchanges: readonly {
    readonly answers: readonly { readonly steps: readonly { readonly text: string }[] }[]
  }[]
}

/** Returns the content of the file of a conversation. */
async function exported(page: Page, title: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), choose(page, title, 'Export')])
  return readFileSync(await download.path(), 'utf8')
}

test('Conversations are kept with titles, found by their words, renamed, copied, deleted and brought back.', async () => {
  const account = await site.account({ balanceUsd: '5' })
  await site.visit({ account }, async (visit) => {
    const { page } = visit
    await openChat(page, 'test/fake')
    await ask(page, 'first apple question')
    await page.getByRole('button', { name: 'New chat' }).click()
    await page.getByText('Nothing is said yet.').waitFor()
    await ask(page, 'second banana question')
    expect(await page.locator('.conversation').allTextContents()).toEqual([
      'second banana question',
      'first apple question',
    ])

    expect(await visit.axe()).toEqual([])
    const search = page.getByRole('searchbox', { name: 'Search conversations' })
    await search.fill('APPLE first')
    await row(page, 'second').waitFor({ state: 'detached' })
    await row(page, 'first').getByRole('button', { name: 'first apple question', exact: true }).click()
    await page.locator('.question').getByText('first apple question').waitFor()
    await search.fill('')

    await choose(page, 'first apple', 'Rename')
    await page.getByLabel('Title').fill('Fruit')
    await page.getByRole('button', { name: 'Done' }).click()
    await row(page, 'Fruit').waitFor()
    await choose(page, 'Fruit', 'Duplicate')
    await row(page, 'Fruit (copy)').waitFor()
    await choose(page, 'Fruit (copy)', 'Delete')
    await row(page, 'Fruit (copy)').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await row(page, 'Fruit (copy)').waitFor()
    await page.locator('.question').getByText('first apple question').waitFor()

    // The list folds away and stays so.
    await page.getByRole('button', { name: 'Conversations', exact: true }).click()
    await page.reload()
    await page.locator('.question').getByText('first apple question').waitFor()
    expect(await page.locator('.conversations').count()).toBe(0)
    await page.getByRole('button', { name: 'Conversations', exact: true }).click()

    await page.locator('.conversations-head summary').click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export all' }).click(),
    ])
    const path = await download.path()
    expect(JSON.parse(readFileSync(path, 'utf8')).conversations).toHaveLength(3)
    await page.locator('.conversations-head summary').click()
    await page.getByRole('button', { name: 'Delete everything here' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No conversations yet.').waitFor()
    await page.locator('.conversations input[type=file]').setInputFiles(path)
    await row(page, 'second banana').waitFor()
    expect(await page.locator('.conversation').count()).toBe(3)
  })
})

test('An edited message and a redone answer keep the other version, also after a reload.', async () => {
  await site.visit({ account: await site.account({ balanceUsd: '5' }) }, async ({ page }) => {
    await openChat(page, 'test/fake')
    await ask(page, 'one')
    await ask(page, 'two')
    const first = page.locator('.question').first()
    await first.getByRole('button', { name: 'Edit' }).click()
    await first.getByRole('textbox').fill('uno')
    await page.locator('form.edit').getByRole('button', { name: 'Send' }).click()
    await page.locator('.question').getByText('uno').waitFor()
    await figures(page)
    expect(await page.locator('.exchange').count()).toBe(1)
    const versions = page.getByRole('group', { name: 'Versions of the message' })
    await versions.getByText('2 of 2').waitFor()
    await page.reload()
    await versions.getByText('2 of 2').waitFor()
    await versions.getByRole('button', { name: 'Previous version' }).click()
    await page.locator('.question').getByText('two').waitFor()
    await versions.getByText('1 of 2').waitFor()

    await page.getByRole('button', { name: 'Redo' }).last().click()
    const answers = page.getByRole('group', { name: 'Versions of the answer' })
    await answers.getByText('2 of 2').waitFor()
    await figures(page)
    await answers.getByRole('button', { name: 'Previous version' }).click()
    await answers.getByText('1 of 2').waitFor()
    expect(await page.locator('.question').allInnerTexts()).toHaveLength(2)
  })
})

test('Two tabs see each other’s messages and lose none; another account sees nothing.', async () => {
  const account = await site.account({ balanceUsd: '5' })
  await site.visit({ account }, async ({ page }) => {
    await openChat(page, 'test/fake')
    await ask(page, 'shared beginning')
    const other = await page.context().newPage()
    await openChat(other, 'test/fake')
    await row(other, 'shared').getByRole('button', { name: 'shared beginning', exact: true }).click()
    await other.locator('.question').getByText('shared beginning').waitFor()
    await ask(other, 'from the other tab')
    await page.locator('.question').getByText('from the other tab').waitFor()

    // Both tabs ask at once: one message follows the other, or is a version beside it.
    await Promise.all([say(page, 'here'), say(other, 'there')])
    await page.locator('.answer-text').getByText('here', { exact: true }).waitFor()
    await other.locator('.answer-text').getByText('there', { exact: true }).waitFor()
    await figures(page)
    await figures(other)
    await page.reload()
    await page.locator('.exchange').nth(2).waitFor()
    const kept = JSON.parse(await exported(page, 'shared beginning')) as KeptFile
    const answers = kept.exchanges.map((exchange) => exchange.answers[0]?.steps[0]?.text)
    expect(answers.sort()).toEqual(['from the other tab', 'here', 'shared beginning', 'there'])

    await choose(other, 'shared', 'Delete')
    await page.getByText('Nothing is said yet.').waitFor()
    await other.close()
  })
})

test('A draft survives the tab, and a conversation is opened with what is seen alone.', async () => {
  await site.visit({ account: await site.account({ balanceUsd: '5' }) }, async ({ page }) => {
    await openChat(page, 'test/fake')
    await ask(page, 'begin')
    await page.getByRole('textbox', { name: 'Message' }).fill('half a sent')
    const exchanges = Array.from({ length: 100 }, (_, index) => ({
      question: { text: `question ${index}` },
      answers: [{ model: 'test/fake', steps: [{ state: 'complete', text: `answer ${index}` }] }],
    }))
    const file = { format: 'inferd-conversation', version: 1, models: ['test/fake'], exchanges }
    await page.locator('.conversations input[type=file]').setInputFiles({
      name: 'long.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(file)),
    })
    await page.locator('.question').getByText('question 99').waitFor()
    expect(await page.locator('.exchange').count()).toBeLessThan(60)
    await row(page, 'begin').getByRole('button', { name: 'begin', exact: true }).click()
    await page.waitForFunction(
      () => document.querySelector<HTMLTextAreaElement>('.composer textarea')?.value === 'half a sent',
    )
    const later = await page.context().newPage()
    await page.close()
    await openChat(later, 'test/fake')
    await row(later, 'begin').getByRole('button', { name: 'begin', exact: true }).click()
    await later.waitForFunction(
      () => document.querySelector<HTMLTextAreaElement>('.composer textarea')?.value === 'half a sent',
    )
  })
})
