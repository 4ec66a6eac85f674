import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exampleData } from '../../src/wire/chat/read-image.ts'
import { chooseModel, figures, give, openChat, say, scripted } from '../testing/chat.ts'
import { addFakeModel } from '../testing/fake-models.ts'
import { openSite } from '../testing/site.ts'

const site = openSite({ flags: ['--image-limit', '1MB'] })
addFakeModel(site.inferd, 'seeing', { type: 'vision' })
addFakeModel(site.inferd, 'blind')

/** Returns a picture of one pixel in a file of `bytes`. Bytes after its end are ignored. */
function largePicture(bytes: number): Buffer {
  const file = Buffer.alloc(bytes)
  picture.copy(file)
  return file
}

const picture = Buffer.from(exampleData, 'base64')

test('Pictures and text files are pasted, dropped and picked; too large ones and a model that cannot see are refused before sending.', async () => {
  await site.visit({ account: await site.account({ balanceUsd: '5' }) }, async ({ page }) => {
    const sent: string[] = []
    page.on('request', (request) => request.url().endsWith('/chat/completions') && sent.push(request.url()))
    await openChat(page, 'test/seeing')
    const list = page.locator('.composer .attachments li')
    await give(page, 'paste', picture, 'pasted.png')
    await list.nth(0).getByText('1 × 1').waitFor()
    // Of copied cells, with which office programs give a picture of them, the field takes the text.
    const isLeftToBrowser = await page.getByRole('textbox', { name: 'Message' }).evaluate((field) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', 'a\tb')
      clipboardData.setData('text/html', '<table>')
      clipboardData.items.add(new File(['picture'], 'image.png', { type: 'image/png' }))
      return field.dispatchEvent(new ClipboardEvent('paste', { cancelable: true, clipboardData }))
    })
    expect(isLeftToBrowser).toBe(true)
    await give(page, 'drop', picture, 'dropped.png')
    await list.nth(1).waitFor()
    await page
      .locator('.composer input[type=file]')
      .setInputFiles({ name: 'picked.png', mimeType: 'image/png', buffer: picture })
    await list.nth(2).waitFor()

    const tooLarge = new Uint8Array(1_000_001)
    tooLarge.set(picture)
    await give(page, 'drop', tooLarge, 'large.png')
    await page.getByText('large.png has 1.0 MB; a picture may have at most 1.0 MB.').waitFor()
    await give(page, 'drop', Buffer.from('no picture at all'), 'words.png')
    await page.getByText('words.png is no picture that can be read').waitFor()
    expect(await list.count()).toBe(3)
    expect(sent).toEqual([])

    await list.nth(2).getByRole('button', { name: 'Remove picked.png' }).click()
    await say(page, scripted([{ describePictures: true }]))
    await figures(page)
    expect(await page.locator('.answer-text').textContent()).toMatch(/^(\[image 1x1 \w+\] ?){2}$/)
    expect(sent).toHaveLength(1)
    // The browser keeps pictures as well.
    await page.reload()
    await page.locator('.question .attachments li').nth(1).waitFor()
    expect(await page.locator('.question .attachments li').count()).toBe(2)

    await page.getByRole('button', { name: /^New chat/ }).click()
    await chooseModel(page, 'test/blind')
    await give(page, 'paste', picture, 'pasted.png')
    await page.getByRole('alert').getByText('test/blind cannot see pictures').waitFor()
    expect(await list.count()).toBe(0)

    // Any model reads text files, which stand in the request before the message.
    await give(page, 'drop', Buffer.from([0xff, 0xfe, 0]), 'program.bin', '')
    await page.getByText('program.bin is neither text nor a picture').waitFor()
    await give(page, 'drop', Buffer.from('the alpha and the omega'), 'notes.md', 'text/markdown')
    await list.getByText('notes.md 23 B').waitFor()
    expect(sent).toHaveLength(1)
    await say(page, 'What is it?')
    await page.locator('.answer-text').getByText('the alpha and the omega').waitFor()
    await page.reload()
    const file = page.locator('.question .attachments details')
    await file.getByText('notes.md').click()
    await file.getByText('the alpha and the omega').waitFor()
    expect(await page.locator('.question .said').textContent()).toBe('What is it?')
  })
})

test("The code drawer's curl, run as it is with a key, gives what the page showed, with a picture of 1 MB as well.", async () => {
  const account = await site.account({ balanceUsd: '5' })
  const folder = mkdtempSync(join(tmpdir(), 'inferd-code-'))
  try {
    await site.visit({ account }, async ({ page, context }) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      await openChat(page, 'test/seeing')
      const file = { name: "it's large.png", mimeType: 'image/png', buffer: largePicture(1_000_000) }
      await page.locator('.composer input[type=file]').setInputFiles(file)
      await say(page, scripted([{ describePictures: true }]))
      await figures(page)
      const shown = (await page.locator('.answer-text').textContent()) ?? ''
      expect(shown).toMatch(/^\[image 1x1 \w+\]/)

      await page.getByText('Code', { exact: true }).last().click()
      await page.getByRole('button', { name: 'Copy: curl' }).click()
      const curl = await page.evaluate(() => navigator.clipboard.readText())
      expect(curl.length).toBeGreaterThan(1_300_000)
      expect(await answerOf(['bash', '-s'], { folder, key: account.key, input: curl })).toBe(shown)

      await page.getByRole('tab', { name: 'JavaScript' }).click()
      const save = page.getByRole('button', { name: 'Download request.json' })
      const [download] = await Promise.all([page.waitForEvent('download'), save.click()])
      await download.saveAs(join(folder, 'request.json'))
      await page.getByRole('button', { name: 'Copy: JavaScript' }).click()
      const script = await page.evaluate(() => navigator.clipboard.readText())
      expect(script.length).toBeLessThan(1_000)
      expect(await answerOf([process.execPath, '-e', script], { folder, key: account.key })).toBe(shown)
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

interface Run {
  readonly folder: string
  readonly key: string
  /** Input of the program */
  readonly input?: string
}

/** Runs a program that prints a streamed answer. Returns the answer's text. */
async function answerOf(words: string[], { folder, key, input = '' }: Run): Promise<string> {
  const child = Bun.spawn(words, {
    ...{ cwd: folder, env: { PATH: process.env.PATH ?? '', INFERD_API_KEY: key } },
    ...{ stdin: new Blob([input]), stderr: 'ignore' },
  })
  const events = (await new Response(child.stdout).text()).matchAll(/^data: (\{.*)$/gm)
  expect(await child.exited).toBe(0)
  return [...events].map(([, data = '']) => JSON.parse(data).choices[0]?.delta.content ?? '').join('')
}
