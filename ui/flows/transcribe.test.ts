import { expect, test } from 'bun:test'
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { recording } from '../../src/testing/recording.ts'
import { until } from '../../src/testing/until.ts'
import { chooseModel, figures, openChat, say, scripted } from '../testing/chat.ts'
import { launchChromium } from '../testing/chromium.ts'
import { spokenDialogue } from '../testing/dialogue.ts'
import { addFakeModel } from '../testing/fake-models.ts'
import { openSite } from '../testing/site.ts'
import { Visit } from '../testing/visit.ts'

const spoken = join(import.meta.dir, '..', '..', 'src', 'engines', 'speech', 'fixtures', 'two-sentences.wav')

const site = openSite({
  needsWholeBrowser: true,
  browserFlags: [
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-audio-capture=${spoken}`,
    '--host-resolver-rules=MAP box.lan 127.0.0.1',
  ],
  flags: ['--allowed-hosts', 'box.lan'],
})
addFakeModel(site.inferd, 'fake')

const megabyte = 1024 * 1024
const address = '/dashboard/transcribe'

test('A fake microphone records 3 s, the level moves, the transcript comes; denied permission, no device and an insecure origin each explain themselves.', async () => {
  const account = await site.account({ balanceUsd: '1' })
  await site.visit({ account }, async ({ page, context }) => {
    await page.goto(address)
    await page.getByRole('button', { name: 'Record' }).click()
    await page.getByText('The browser does not let this page use the microphone.').waitFor()

    await context.grantPermissions(['microphone'])
    await page.getByRole('button', { name: 'Record' }).click()
    await page.getByRole('meter', { name: 'Input level' }).waitFor()
    // The level rises and falls, wherever in the sentence the recording begins.
    await page.locator('meter').evaluate(async (meter: HTMLMeterElement) => {
      const seen = { rise: false, fall: false }
      for (let before = meter.value; !seen.rise || !seen.fall; before = meter.value) {
        await new Promise(requestAnimationFrame)
        seen.rise ||= meter.value > before
        seen.fall ||= meter.value < before
      }
    })
    await page.getByText(/^0:(0[3-9]|[1-5]\d)$/).waitFor()
    await page.getByRole('button', { name: 'Stop recording' }).click()
    await page.getByText(/^recording\.\w+, /).waitFor()
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByRole('heading', { name: 'Transcript' }).waitFor()
    expect(await page.locator('.turns').textContent()).toMatch(/train|nine|window|open|leaves/)
  })

  const withoutDevice = await launchChromium()
  try {
    await Visit.run(withoutDevice, site.inferd, { account }, async ({ page, context }) => {
      await context.grantPermissions(['microphone'])
      await page.goto(address)
      await page.getByRole('button', { name: 'Record' }).click()
      await page.getByText('This machine has no microphone.').waitFor()
    })
  } finally {
    await withoutDevice.close()
  }

  const origin = site.inferd.url.replace('127.0.0.1', 'box.lan')
  await site.visit({ account, origin }, async ({ page }) => {
    await page.goto(address)
    await page.getByText('Browsers give the microphone to pages over https').waitFor()
    expect(await page.getByRole('button', { name: 'Record' }).isDisabled()).toBe(true)
    expect(await page.getByLabel('Choose a file').getAttribute('capture')).toBe('user')
  })
})

async function exported(page: Page, format: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: `Export as ${format}` }).click(),
  ])
  expect(download.suggestedFilename()).toBe(`talk.${format.toLowerCase()}`)
  return readFileSync(await download.path(), 'utf8')
}

test('A two-speaker file shows two lanes; clicking a word seeks; arrow keys walk the turns; renamed speakers are in TXT, SRT, VTT and JSON.', async () => {
  const buffer = await spokenDialogue(site.inferd)
  await site.visit({ account: await site.account({ balanceUsd: '1' }) }, async (visit) => {
    const { page } = visit
    await page.goto(address)
    const choose = page.getByLabel('Choose a file')
    await choose.setInputFiles({ name: 'no.wav', mimeType: 'audio/wav', buffer: Buffer.from('no recording') })
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.locator('.failure').waitFor()
    // The button above tries again, and another file has no failure yet.
    expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0)
    await choose.setInputFiles({ name: 'talk.wav', mimeType: 'audio/wav', buffer })
    expect(await page.locator('.failure').count()).toBe(0)
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByRole('heading', { name: 'Transcript' }).waitFor()
    expect(await page.locator('.lane').count()).toBe(2)

    const marks = page.getByRole('button', { name: /^SPEAKER_0\d, \d+:\d\d to/ })
    expect(await marks.count()).toBeGreaterThanOrEqual(4)
    await page.locator('[data-turn="0"]').focus()
    for (const turn of ['1', '2', '3', '2']) {
      await page.keyboard.press(turn === '2' && (await reached(page)) === '3' ? 'ArrowLeft' : 'ArrowRight')
      expect(await reached(page)).toBe(turn)
    }
    await page.keyboard.press('Enter')
    const third = page.locator('.turn').nth(2)
    await third.locator('[data-word][aria-current]').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()

    const word = page.locator('.turn').nth(1).locator('[data-word]').nth(2)
    const sought = page.locator('audio').evaluate(
      (audio: HTMLAudioElement) =>
        new Promise<number>((resolve) => {
          audio.addEventListener('seeking', () => resolve(audio.currentTime), { once: true })
        }),
    )
    await word.click()
    const soughtSeconds = await sought
    await page.getByRole('button', { name: 'Pause' }).click()

    await page.getByLabel('Name of SPEAKER_00').fill('Anna')
    await page.getByLabel('Name of SPEAKER_01').fill('Ben')
    expect(await exported(page, 'TXT')).toMatch(/^Anna: .*train.*\nBen: .*window.*\nAnna: .*tickets\S*\nBen: .*bag/)
    expect(await exported(page, 'SRT')).toMatch(/^1\n00:00:00,\d+ --> 00:00:0\d,\d+\nAnna: good/i)
    expect(await exported(page, 'VTT')).toMatch(/^WEBVTT\n\n00:00:00\.\d+ --> .*\nAnna: good/i)
    const json = JSON.parse(await exported(page, 'JSON'))
    expect(soughtSeconds).toBeCloseTo(json.speaker_segments[1].words[2].start, 1)
    expect(json.speakers).toEqual(['SPEAKER_00', 'SPEAKER_01'])
    expect(json.speaker_names).toEqual({ SPEAKER_00: 'Anna', SPEAKER_01: 'Ben' })
    expect(await visit.axe()).toEqual([])

    await page.getByLabel('Ben is the same person as').selectOption('Anna')
    expect(await page.locator('.lane').count()).toBe(1)
    await page.getByRole('button', { name: 'Undo merges' }).click()
    expect(await page.locator('.lane').count()).toBe(2)
  })
})

function reached(page: Page): Promise<string | undefined> {
  return page.evaluate(() =>
    document.activeElement instanceof HTMLElement ? document.activeElement.dataset.turn : undefined,
  )
}

test('A 100 MB upload shows progress, can be cancelled, and its temporary file is gone afterwards; 101 MB is refused before sending.', async () => {
  const path = join(tmpdir(), `inferd-upload-${process.pid}.wav`)
  const sent: string[] = []
  writeFileSync(path, recording(1))
  try {
    await site.visit({ account: await site.account({ balanceUsd: '1' }) }, async ({ page, context }) => {
      page.on('request', (request) => void (request.url().includes('/dashboard/v1/audio/') && sent.push(request.url())))
      await page.goto(address)
      truncateSync(path, 101 * megabyte)
      await page.getByLabel('Choose a file').setInputFiles(path)
      await page.getByText(/has 101 MB, and a recording may have 100 MB/).waitFor()
      expect(await page.getByRole('button', { name: 'Start', exact: true }).isDisabled()).toBe(true)
      expect(sent).toEqual([])

      truncateSync(path, 100 * megabyte - 1_000)
      await page.getByLabel('Choose a file').setInputFiles(path)
      // On a fast connection the whole upload would arrive at once.
      const network = await context.newCDPSession(page)
      const bytesPerSecond = 4_000_000
      const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: bytesPerSecond }
      await network.send('Network.enable')
      await network.send('Network.emulateNetworkConditions', slow)
      await page.getByRole('button', { name: 'Start', exact: true }).click()
      await page.getByText(/^Uploading, [1-9]\S* MB of 100 MB · [1-9]\d* %$/).waitFor()
      expect(await spooled()).not.toEqual([])
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByText('Cancelled.').waitFor()
      await until('nothing is spooled', spooled, (names) => names.length === 0)
      expect(sent.filter((url) => url.endsWith('/audio/transcriptions'))).toHaveLength(1)
      await page.getByRole('button', { name: 'Start', exact: true }).waitFor()
    })
  } finally {
    rmSync(path)
  }
})

function spooled(): Promise<string[]> {
  return readdir(join(site.inferd.dataDir, 'spool'))
}

test('A message is dictated at the caret, Escape drops a dictation, and without a microphone the chat says what helps.', async () => {
  const account = await site.account({ balanceUsd: '1' })
  await site.visit({ account }, async (visit) => {
    const { page, context } = visit
    await openChat(page, 'inferd/starter-chat')
    const dictate = page.getByRole('button', { name: 'Dictate' })
    expect(await dictate.getAttribute('title')).toMatch(
      /inferd\/starter-stt writes down what you say, \$.+ per\sminute/,
    )
    await dictate.click()
    await page.getByText('The browser does not let this page use the microphone.').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()

    await context.grantPermissions(['microphone'])
    const field = page.getByRole('textbox', { name: 'Message' })
    await field.fill('Before after')
    await field.evaluate((element: HTMLTextAreaElement) => element.setSelectionRange(6, 6))
    await dictate.click()
    await page.getByRole('meter', { name: 'Input level' }).waitFor()
    expect(await visit.axe()).toEqual([])
    await page.getByText(/^0:(0[3-9]|[1-5]\d)$/).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.waitForFunction(() => {
      const { value = '' } = document.querySelector<HTMLTextAreaElement>('.composer textarea') ?? {}
      return /^Before \S.* after$/.test(value)
    })
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true)
    const dictated = await field.inputValue()
    await page.keyboard.press('Control+z')
    expect(await field.inputValue()).toBe('Before after')
    expect(dictated).toMatch(/train|nine|window|open|leaves/)

    // The first Escape is for the dictation, the next one for the answer.
    await chooseModel(page, 'test/fake')
    await say(page, scripted([{ text: 'Half' }, { waitForCancel: true }]))
    await page.locator('.answer-text').getByText('Half').waitFor()
    await field.fill('Before after')
    await dictate.click()
    await page.getByRole('meter').waitFor()
    await page.locator('.dictation button:focus', { hasText: 'Done' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('meter').waitFor({ state: 'detached' })
    expect(await field.inputValue()).toBe('Before after')
    expect(await page.getByRole('button', { name: 'Stop' }).isVisible()).toBe(true)
    await page.keyboard.press('Escape')
    await page.locator('.stopped').waitFor()
  })

  const origin = site.inferd.url.replace('127.0.0.1', 'box.lan')
  await site.visit({ account, origin, size: 'narrow' }, async (visit) => {
    const { page } = visit
    await openChat(page, 'inferd/starter-chat')
    await page.getByRole('button', { name: 'Dictate' }).click()
    await page.getByText('Browsers give the microphone to pages over https').waitFor()
    const { port } = new URL(origin)
    await page.getByText(`ssh -L ${port}:box.lan:${port} box.lan`).waitFor()
    expect(await page.getByRole('link', { name: 'How the server gets https' }).getAttribute('href')).toBe('/docs/tls')
    expect(await visit.axe()).toEqual([])
  })
})

test('An answer is read aloud to its end, stops at a press, and says before what it costs.', async () => {
  await site.visit({ account: await site.account({ balanceUsd: '1' }) }, async ({ page }) => {
    await openChat(page, 'inferd/starter-chat')
    await say(page, 'What is 7 + 8?')
    await figures(page)
    const read = page.getByRole('button', { name: 'Read aloud' })
    const stop = page.getByRole('button', { name: 'Stop reading' })
    expect(await read.getAttribute('title')).toMatch(/inferd\/starter-tts, \$.+ per\s1M\scharacters/)
    const speaking = page.waitForRequest('**/audio/speech')
    await read.click()
    expect((await speaking).postDataJSON()).toMatchObject({ model: 'inferd/starter-tts', response_format: 'mp3' })
    await stop.waitFor()
    await read.waitFor()

    await read.click()
    await stop.click()
    await read.waitFor()
  })
})
