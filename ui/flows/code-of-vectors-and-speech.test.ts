import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { spokenDialogue } from '../testing/dialogue.ts'
import { openSite } from '../testing/site.ts'

const site = openSite()

/** Runs the code that the page shows, with a key in the environment. Returns its output. */
async function runShownCode(page: Page, key: string, cwd: string): Promise<string> {
  await page.getByText('Code', { exact: true }).click()
  const code = await page.locator('.code-drawer pre').textContent()
  const environment = { PATH: process.env.PATH ?? '', INFERD_API_KEY: key }
  const child = Bun.spawn(['sh', '-c', `${code} --silent --show-error`], { cwd, env: environment, stderr: 'inherit' })
  const output = await new Response(child.stdout).text()
  expect(await child.exited).toBe(0)
  return output
}

test("The code drawer's curl, run as it is with a key, gives what the page showed.", async () => {
  const account = await site.account({ balanceUsd: '1' })
  const folder = mkdtempSync(join(tmpdir(), 'inferd-code-'))
  try {
    await site.visit({ account }, async ({ page }) => {
      await page.goto('/dashboard/search?tab=rank')
      await page.getByRole('button', { name: 'Rank', exact: true }).click()
      await page.locator('.rank-text').first().waitFor()
      const { results } = JSON.parse(await runShownCode(page, account.key, folder))
      const scores = await page.locator('.ranking b').allTextContents()
      expect(scores).toEqual(results.map((result: { relevance_score: number }) => result.relevance_score.toFixed(3)))

      await page.goto('/dashboard/speak')
      await page.getByLabel('Text').fill("It's nine o'clock.")
      await page.getByLabel('Format').selectOption('flac')
      await page.getByRole('button', { name: 'Speak', exact: true }).click()
      const link = page.getByRole('link', { name: 'Download speech.flac' })
      await link.waitFor()
      const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
      await runShownCode(page, account.key, folder)
      expect(readFileSync(join(folder, 'speech.flac')).equals(readFileSync(await download.path()))).toBe(true)

      const name = 'our talk, 1.wav'
      writeFileSync(join(folder, name), await spokenDialogue(site.inferd))
      await page.goto('/dashboard/transcribe')
      await page.getByLabel('Choose a file').setInputFiles(join(folder, name))
      await page.getByRole('button', { name: 'Start', exact: true }).click()
      await page.locator('.turns').waitFor()
      const { segments } = JSON.parse(await runShownCode(page, account.key, folder))
      const shown = await page.locator('.turn p').allTextContents()
      expect(shown).toEqual(segments.map((segment: { text: string }) => segment.text))
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
