import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import type { TestAccount } from '../testing/accounts.ts'
import { chooseModel, figures, openChat, say, scripted } from '../testing/chat.ts'
import { addFakeModel } from '../testing/fake-models.ts'
import { openSite } from '../testing/site.ts'

const site = openSite()
addFakeModel(site.inferd, 'fake')
addFakeModel(site.inferd, 'other')

let member: Promise<TestAccount> | undefined

/** Returns the account of all tests. Each has a browser of its own, without conversations. */
function own(): Promise<TestAccount> {
  member ??= site.account({ balanceUsd: '5' })
  return member
}

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
  const account = await own()
  await site.visit({ account }, async (visit) => {
    const { page } = visit
    await openChat(page, 'test/fake')
    await ask(page, 'first apple question')
    await page.getByRole('button', { name: /^New chat/ }).click()
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
    const excerpt = row(page, 'first').locator('.excerpt')
    await excerpt.waitFor()
    expect(await excerpt.locator('mark').allTextContents()).toEqual(['first', 'apple'])
    expect(await visit.axe()).toEqual([])
    await search.press('Enter')
    await page.locator('.question').getByText('first apple question').waitFor()
    await page.waitForFunction(() => CSS.highlights.get('found')?.size === 4)
    await search.fill('')
    await row(page, 'second').waitFor()
    expect(await page.locator('.excerpt').count()).toBe(0)

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
  await site.visit({ account: await own() }, async ({ page }) => {
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
    await versions.getByRole('button', { name: 'Previous version' }).press('Enter')
    await page.locator('.question').getByText('two').waitFor()
    await versions
      .locator('button:focus')
      .and(page.getByRole('button', { name: 'Previous version' }))
      .waitFor()
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

test('A reload keeps the model of each conversation, whichever was chosen for another one.', async () => {
  await site.visit({ account: await own() }, async ({ page }) => {
    await openChat(page, 'test/fake')
    await ask(page, 'of the first model')
    await page.getByRole('button', { name: /^New chat/ }).click()
    await chooseModel(page, 'test/other')
    await ask(page, 'of the other model')
    for (const [text, model] of [
      ['of the first model', 'test/fake'],
      ['of the other model', 'test/other'],
    ] as const) {
      await row(page, text).locator('.conversation').click()
      await page.locator('.question').getByText(text).waitFor()
      await page.getByRole('button', { name: `Model ${model}` }).waitFor()
      await page.reload()
      await page.locator('.question').getByText(text).waitFor()
      expect(await page.locator('.model-button b').textContent()).toBe(model)
    }
  })
})

test('Two tabs see each other’s messages and lose none; another account sees nothing.', async () => {
  const account = await own()
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

test('The list is used by keyboard: arrows, F2, Delete and its undo; Alt+N begins a chat.', async () => {
  await site.visit({ account: await own() }, async ({ page }) => {
    await openChat(page, 'test/fake')
    for (const text of ['one', 'two', 'three']) {
      await page.keyboard.press('Alt+n')
      await page.getByText('Nothing is said yet.').waitFor()
      await page.waitForFunction(() => document.activeElement?.matches('.composer textarea'))
      await ask(page, text)
    }
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    await page.getByRole('searchbox', { name: 'Search conversations' }).press('ArrowDown')
    expect(await focused()).toBe('three')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('F2')
    await page.getByLabel('Title').fill('second')
    await page.keyboard.press('Enter')
    await row(page, 'second').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await focused()).toBe('second')
    await page.keyboard.press('Delete')
    await row(page, 'second').waitFor({ state: 'detached' })
    expect(await focused()).toBe('one')
    await page.getByRole('button', { name: 'Undo' }).press('Enter')
    await page.locator('.question').getByText('two').waitFor()
    await page.waitForFunction(() => document.activeElement?.textContent === 'second')
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowUp')
    expect(await page.evaluate(() => document.activeElement?.matches('input[type=search]'))).toBe(true)
  })
})

test('A tab sees an answer that another one receives, and may delete its conversation.', async () => {
  await site.visit({ account: await own() }, async ({ page }) => {
    await openChat(page, 'test/fake')
    await say(page, scripted([{ text: 'half of the answer' }, { waitForCancel: true }]))
    await page.locator('.answer-text').getByText('half of the answer').waitFor()
    const other = await page.context().newPage()
    await openChat(other, 'test/fake')
    await other.locator('.conversation').first().click()
    await other.getByText('Another tab is receiving this answer.').waitFor()
    expect(await other.getByRole('button', { name: 'Redo' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Stop' }).click()
    await other.locator('.stopped').waitFor()
    expect(await other.locator('.answer-text').textContent()).toContain('half of the answer')

    await say(page, scripted([{ text: 'another half' }, { waitForCancel: true }]))
    await other.locator('.answer-text').getByText('another half').waitFor()
    await other.locator('.conversation').first().press('Delete')
    await page.getByText('Nothing is said yet.').waitFor()
    await page.getByText('The conversation was deleted in another tab.').waitFor()
    await other.close()
    await page.reload()
    await page.getByText('No conversations yet.').waitFor()
  })
})

test('Where the browser keeps nothing, the page says so and chats; what a full storage refused is kept later.', async () => {
  await site.visit({ account: await own() }, async ({ page }) => {
    await page.context().addInitScript(() => {
      if (location.hash === '#none') Object.defineProperty(globalThis, 'indexedDB', { value: undefined })
    })
    await page.goto('/dashboard/chat?model=test/fake#none')
    await page.getByRole('alert').getByText('This browser keeps no conversations').waitFor()
    await ask(page, 'not kept')
    await page.goto('/dashboard')
    await openChat(page, 'test/fake')
    await page.getByText('No conversations yet.').waitFor()

    const session = await page.context().newCDPSession(page)
    const { origin } = new URL(page.url())
    await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1 })
    await ask(page, 'while it is full')
    await page.getByRole('alert').getByText('could not save the conversation').waitFor()
    await session.send('Storage.overrideQuotaForOrigin', { origin })
    await ask(page, 'with room again')
    await row(page, 'while it is full').waitFor()
    await page.reload()
    await page.locator('.question').getByText('while it is full').waitFor()
    await page.locator('.question').getByText('with room again').waitFor()
  })
})

test('On a phone the list is a sheet over the conversation, with the undo in it.', async () => {
  await site.visit({ account: await own(), size: 'narrow' }, async (visit) => {
    const { page } = visit
    await openChat(page, 'test/fake')
    await ask(page, 'first')
    await page.getByRole('button', { name: /^New chat/ }).click()
    await page.getByText('Nothing is said yet.').waitFor()
    await ask(page, 'second')
    const list = page.getByRole('button', { name: 'Conversations', exact: true })
    const sheet = page.getByRole('dialog', { name: 'Conversations' })
    await list.click()
    await sheet.waitFor()
    await page.waitForFunction(() => document.activeElement?.textContent === 'second')
    expect(await visit.axe()).toEqual([])
    await choose(page, 'first', 'Rename')
    await page.getByLabel('Title').press('Escape')
    await page.getByLabel('Title').waitFor({ state: 'detached' })
    await choose(page, 'first', 'Delete')
    await sheet.getByRole('button', { name: 'Undo' }).click()
    await row(page, 'first').getByRole('button', { name: 'first', exact: true }).click()
    await sheet.waitFor({ state: 'detached' })
    await page.locator('.question').getByText('first').waitFor()
    expect(await page.evaluate(() => document.activeElement?.textContent?.trim())).toBe('Conversations')
  })
})

const unsent = (page: Page, text: string) =>
  page.waitForFunction(
    (wanted) => document.querySelector<HTMLTextAreaElement>('.composer textarea')?.value === wanted,
    text,
  )

test('Drafts survive the tab and stay apart between tabs; a long conversation opens at its end, or at a hit.', async () => {
  await site.visit({ account: await own() }, async ({ page }) => {
    await openChat(page, 'test/fake')
    await ask(page, 'begin')
    const message = (tab: Page) => tab.getByRole('textbox', { name: 'Message' })
    await message(page).fill('half a sent')
    await page.locator('.composer input[type=file]').setInputFiles({
      name: 'notes.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('lines of notes'),
    })
    await page.locator('.composer summary').getByText('notes.txt').waitFor()

    // A file whose reading ends after another conversation was opened is no part of that one's draft.
    const addLate = await page.evaluateHandle(() => {
      const { arrayBuffer } = Blob.prototype
      const { promise, resolve } = Promise.withResolvers<void>()
      Blob.prototype.arrayBuffer = async function (this: Blob) {
        await promise
        return arrayBuffer.call(this)
      }
      return async () => {
        resolve()
        // Readings end in the order of their beginnings: the file is recognized, then read.
        for (let times = 0; times < 3; times += 1) await new Blob(['']).arrayBuffer()
      }
    })
    await page.locator('.composer input[type=file]').setInputFiles({
      name: 'late.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('late'),
    })
    await page.getByRole('button', { name: /^New chat/ }).click()
    await page.getByText('Nothing is said yet.').waitFor()
    await addLate.evaluate((add) => add())
    await page.reload()
    await page.getByText('Nothing is said yet.').waitFor()
    expect(await message(page).inputValue()).toBe('')
    await row(page, 'begin').locator('.conversation').click()
    await unsent(page, 'half a sent')

    const exchanges = Array.from({ length: 100 }, (_, index) => ({
      question: { text: `question ${index}` },
      answers: [{ model: 'test/fake', steps: [{ state: 'complete', text: `**answer** number${index}` }] }],
    }))
    const file = { format: 'inferd-conversation', version: 1, models: ['test/fake'], exchanges }
    await page.locator('.conversations input[type=file]').setInputFiles({
      name: 'long.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(file)),
    })
    await page.locator('.question').getByText('question 99').waitFor()
    expect(await page.locator('.exchange').count()).toBeLessThan(60)
    const search = page.getByRole('searchbox', { name: 'Search conversations' })
    await search.fill('answer number17')
    await row(page, 'question 0').locator('mark').first().waitFor()
    await search.press('Enter')
    await page.waitForFunction(() => {
      const [found] = CSS.highlights.get('found') ?? []
      const top = found instanceof Range ? found.getBoundingClientRect().top : -1
      return found instanceof Range && found.toString() === 'answer' && top > 0 && top < innerHeight
    })
    await search.fill('')

    await row(page, 'begin').getByRole('button', { name: 'begin', exact: true }).click()
    await unsent(page, 'half a sent')
    await page.locator('.composer summary').getByText('notes.txt').waitFor()
    const later = await page.context().newPage()
    await openChat(later, 'test/fake')
    await row(later, 'begin').getByRole('button', { name: 'begin', exact: true }).click()
    await later.locator('.question').getByText('begin').waitFor()
    await message(later).fill('of another tab')
    await page.reload()
    await unsent(page, 'half a sent')
    await later.reload()
    await unsent(later, 'of another tab')
    await page.close()
    await message(later).fill('')
    await row(later, 'question 0').getByRole('button', { name: 'question 0', exact: true }).click()
    await later.locator('.question').getByText('question 99').waitFor()
    await row(later, 'begin').getByRole('button', { name: 'begin', exact: true }).click()
    await unsent(later, 'half a sent')
  })
})
