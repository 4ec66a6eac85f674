/** Contents of a usage page. */
import type { Page } from 'playwright-core'
import { toNano } from '../parts/money-text.ts'

export interface UsagePageText {
  readonly total: string
  /** Rows of the table as shown */
  readonly rows: readonly (readonly string[])[]
  /** Text that appears over each bar */
  readonly bars: readonly string[]
  readonly csv: { readonly name: string; readonly rows: readonly Readonly<Record<string, string>>[] }
}

export async function readUsagePage(page: Page): Promise<UsagePageText> {
  await page.getByRole('table', { name: 'Usage', exact: true }).waitFor()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()
  const download = await downloading
  const [head = '', ...lines] = (await Bun.file(await download.path()).text()).trim().split('\r\n')
  const names = head.split(',')
  const table = page.getByRole('table', { name: 'Usage', exact: true }).locator('tbody tr')
  return {
    total: (await page.locator('.usage-total b').textContent()) ?? '',
    rows: await Promise.all((await table.all()).map((row) => row.locator('td').allTextContents())),
    bars: await page.locator('.day-bar').evaluateAll((bars) => bars.map((bar) => bar.getAttribute('title') ?? '')),
    csv: {
      name: download.suggestedFilename(),
      rows: lines.map((line) => Object.fromEntries(line.split(',').map((cell, index) => [names[index] ?? '', cell]))),
    },
  }
}

/** In nano-USD. */
export function csvSum({ csv }: UsagePageText): bigint {
  return csv.rows.reduce((sum, { cost_usd: usd = '' }) => sum + (toNano(usd) ?? 0n), 0n)
}
