import { afterAll, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openSite } from '../testing/site.ts'

// A driver that answers until a file is there, and then hangs.
const folder = mkdtempSync(join(tmpdir(), 'inferd-driver-'))
const sick = join(folder, 'sick')
const driver = join(folder, 'nvidia-smi')
const device = 'GPU-11111111-aaaa-bbbb-cccc-000000000000, NVIDIA H200'
writeFileSync(
  driver,
  [
    '#!/bin/sh',
    `[ -e '${sick}' ] && exec sleep 60`,
    'case "$1" in',
    `*driver_version*) echo '${device}, 570.1, [N/A], 143771, 132000' ;;`,
    `*query-gpu*) echo '${device}, 143771, 132000, 87, 61, 412.5' ;;`,
    'esac',
    '',
  ].join('\n'),
)
chmodSync(driver, 0o755)
const usualPath = process.env.PATH
process.env.PATH = `${folder}:${usualPath}`
afterAll(() => {
  process.env.PATH = usualPath
  rmSync(folder, { recursive: true })
})

const site = openSite()

test('A device that stops answering (scripted sampler) is hatched with its age within 5 s and its figures do not look live.', async () => {
  await site.visit({ account: await site.operator() }, async ({ page }) => {
    await page.goto('/admin')
    const bar = page.getByRole('region', { name: 'GPU 0' })
    await bar.getByText('61 °C · 412 W · 87 %').or(bar.getByText('61 °C · 413 W · 87 %')).waitFor()
    expect(existsSync(sick)).toBe(false)
    writeFileSync(sick, '')
    await bar.getByText(/not answering since .*ago/).waitFor({ timeout: 8_000 })
    expect(await bar.getByText('61 °C').count()).toBe(0)
    expect(await bar.getAttribute('class')).toContain('lost')
    rmSync(sick)
    await bar.getByText('61 °C').waitFor()
  })
})

test('Eight operator tabs at once, all visible: every one loads and stays current, three of them by a stream; a hidden one closes its stream within 5 s.', async () => {
  await site.visit({ account: await site.operator() }, async ({ context }) => {
    const tabs: Page[] = []
    const streams = new Set<Page>()
    for (let count = 0; count < 8; count += 1) {
      const page = await context.newPage()
      await page.goto('/admin')
      await page.getByRole('region', { name: 'Memory' }).getByText('free').first().waitFor()
      tabs.push(page)
    }
    for (const page of tabs) {
      if ((await page.getByText('Updates every 5 s').count()) === 0) streams.add(page)
    }
    expect(streams.size).toBe(3)
    const [first] = streams
    const ended = first?.waitForEvent('requestfailed', {
      predicate: (request) => request.url().includes('/admin/api/events'),
      timeout: 7_000,
    })
    await first?.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden' })
      document.dispatchEvent(new Event('visibilitychange'))
    })
    await ended
  })
})
