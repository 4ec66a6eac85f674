import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import type { AppIcon } from '../build/web-manifest.ts'

const mark = readFileSync(join(import.meta.dir, '..', '..', 'ui', 'icon.svg'))

/** Part of a cut icon's edge that the mark takes, so that it stays within the circle that every system shows */
const cutShare = 0.9

/** Returns an icon as PNG, drawn from the mark. */
export async function drawAppIcon(browser: Browser, { size, purpose }: AppIcon): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  const isCut = purpose !== 'any'
  try {
    const [, ground = ''] = /<rect[^>]*fill="([^"]+)"/.exec(mark.toString()) ?? []
    const edge = isCut ? Math.round(size * cutShare) : size
    await page.setContent(`<body style="margin:0;display:grid;place-content:center;height:100vh;
      background:${isCut ? ground : 'none'}"><img width=${edge} height=${edge} style="display:block"
      src="data:image/svg+xml;base64,${mark.toBase64()}">`)
    await page.locator('img').evaluate((image) => (image instanceof HTMLImageElement ? image.decode() : undefined))
    return await page.screenshot({ omitBackground: true })
  } finally {
    await page.close()
  }
}
