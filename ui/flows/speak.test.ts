import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { openSite } from '../testing/site.ts'

const site = openSite()

const sentence = 'The train to Bern leaves at nine from platform two, and the next one leaves at ten.'

/** First bytes of a file in each format */
const beginnings = {
  mp3: (bytes: Buffer) => bytes.toString('latin1', 0, 3) === 'ID3' || (bytes[0] === 0xff && bytes[1] === 0xf3),
  opus: (bytes: Buffer) => bytes.toString('latin1', 0, 4) === 'OggS',
  flac: (bytes: Buffer) => bytes.toString('latin1', 0, 4) === 'fLaC',
  wav: (bytes: Buffer) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.readUInt32LE(40) === bytes.length - 44,
  pcm: (bytes: Buffer) => bytes.length > 24_000 && bytes.length % 2 === 0,
}

async function downloaded(page: Page, format: string): Promise<Buffer> {
  const link = page.getByRole('link', { name: `Download speech.${format}` })
  // A machine that is busy may take as long as the speech.
  await link.waitFor({ timeout: 60_000 })
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
  return readFileSync(await download.path())
}

test('Speech begins to play before the whole is there (long text), in each format the browser can play, and downloads in all five.', async () => {
  await site.visit({ account: await site.account({ balanceUsd: '1' }) }, async ({ page }) => {
    await page.goto('/dashboard/speak')
    await page.getByLabel('Text').fill(`${sentence}\n\n`.repeat(8))
    await page.getByText('Plays as it arrives.').waitFor()
    // The connection is slow, because a fast machine finishes the speech before its first second is played.
    const connection = await page.context().newCDPSession(page)
    const limited = (downloadThroughput: number) =>
      connection.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput,
        uploadThroughput: -1,
      })
    await limited(30_000)
    await page.getByRole('button', { name: 'Speak', exact: true }).click()
    // Audio plays while "Stop" is shown, so the rest is still on its way.
    await page.waitForFunction(
      () => {
        const isHeard = (document.querySelector('audio')?.currentTime ?? 0) > 0.1
        return isHeard && [...document.querySelectorAll('button')].some((button) => button.textContent === 'Stop')
      },
      undefined,
      { polling: 'raf' },
    )
    await limited(-1)
    expect(beginnings.mp3(await downloaded(page, 'mp3'))).toBe(true)

    await page.getByLabel('Text').fill(sentence)
    for (const format of ['opus', 'flac', 'wav', 'pcm'] as const) {
      await page.getByLabel('Format').selectOption(format)
      await page.getByText('Plays when all of it is there').waitFor()
      await page.getByRole('button', { name: 'Speak', exact: true }).click()
      const bytes = await downloaded(page, format)
      expect({ format, isRight: beginnings[format](bytes) }).toEqual({ format, isRight: true })
      await page.waitForFunction(() => (document.querySelector('audio')?.currentTime ?? 0) > 0.1)
    }
  })
})

test('Stop ends the speech, and the receipt says what was charged.', async () => {
  await site.visit({ account: await site.account({ balanceUsd: '1' }) }, async ({ page }) => {
    await page.goto('/dashboard/speak')
    // The text takes minutes, so the work cannot end before the button is pressed.
    await page.getByLabel('Text').fill(`${sentence}\n\n`.repeat(Math.floor(20_000 / (sentence.length + 2))))
    await page.getByRole('button', { name: 'Speak', exact: true }).click()
    await page.getByText('so far').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped:').waitFor()
    await page.getByRole('link', { name: /^req_/ }).waitFor()
    expect(await page.locator('audio').evaluate((audio: HTMLAudioElement) => audio.paused)).toBe(true)
  })
})
