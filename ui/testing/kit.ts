/** The page of all parts, built and served without a server behind it, and pictures of it. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { findGenerated, writeGenerated } from '../../scripts/build/build-ui.ts'
import { blockFont } from './block-font.ts'

const root = join(import.meta.dir, '..', '..')

/** Folder of the pictures that the page is held to */
export const kitPictures = join(root, 'ui', 'kit', 'pictures')

export const kitSizes = { narrow: 360, wide: 1280 } as const
type Theme = 'light' | 'dark'

export interface Shot {
  readonly name: string
  readonly width: number
  readonly theme: Theme
  /** Words of a button that opens a dialog, if the picture shows one */
  readonly opens?: string
}

export const shots: readonly Shot[] = Object.entries(kitSizes).flatMap(([size, width]) =>
  (['light', 'dark'] as const).flatMap((theme) => [
    { name: `parts.${size}.${theme}`, width, theme },
    { name: `form.${size}.${theme}`, width, theme, opens: 'Open a form' },
    { name: `warning.${size}.${theme}`, width, theme, opens: 'Open a warning' },
  ]),
)

/** Builds and serves the page until it is disposed of. */
export async function serveKit(): Promise<{ readonly url: string } & AsyncDisposable> {
  const folder = join(root, 'build', `kit.${process.pid}`)
  writeGenerated()
  await Bun.build({
    entrypoints: [join(root, 'ui', 'kit', 'kit.html')],
    outdir: folder,
    target: 'browser',
    publicPath: '/',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [findGenerated],
  })
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) => {
      const file = Bun.file(join(folder, new URL(url).pathname.split('/').at(-1) || 'kit.html'))
      return new Response(file)
    },
  })
  return {
    url: server.url.origin,
    [Symbol.asyncDispose]: async () => {
      await server.stop(true)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Opens the page in a context of its own. With `hasBlocks` every character is drawn as a block. */
export async function openKit(browser: Browser, url: string, { width, theme }: Omit<Shot, 'name'>, hasBlocks: boolean) {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: theme,
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  await page.goto(`${url}/kit.html`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  if (hasBlocks) await drawBlocks(page)
  // A field with an error takes the focus, and the page scrolls to it.
  await page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    scrollTo(0, 0)
  })
  return page
}

async function drawBlocks(page: Page): Promise<void> {
  const face = (height: number, weights: string) =>
    `@font-face { font-family: blocks; font-weight: ${weights}; src: url(data:font/ttf;base64,${blockFont(height).toBase64()}) }`
  await page.addStyleTag({
    content: `${face(440, '100 500')} ${face(540, '501 900')} :root { --sans: blocks; --mono: blocks }`,
  })
  await page.evaluate(() => Promise.all([...document.fonts].map((font) => font.load())).then(() => undefined))
}

/** Returns a picture of the page, or of its open dialog, as PNG. */
export async function takeShot(browser: Browser, url: string, shot: Shot): Promise<Buffer> {
  const page = await openKit(browser, url, shot, true)
  try {
    if (shot.opens === undefined) return await page.screenshot({ fullPage: true, animations: 'disabled' })
    await page.getByRole('button', { name: shot.opens }).click()
    return await page.getByRole('dialog').screenshot({ animations: 'disabled', caret: 'hide' })
  } finally {
    await page.context().close()
  }
}
