/** Takes the pictures of docs/screens: pages of a box in use. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { signInOperator } from '../../ui/testing/accounts.ts'
import { scripted } from '../../ui/testing/chat.ts'
import { launchChromium } from '../../ui/testing/chromium.ts'
import { spokenDialogue } from '../../ui/testing/dialogue.ts'
import { Inferd } from '../../ui/testing/inferd.ts'
import { ScriptedDriver } from '../../ui/testing/scripted-driver.ts'
import { Visit, type VisitOptions } from '../../ui/testing/visit.ts'
import { furnish, gateOf, idleDevice, inventedModels, mibOf } from './box.ts'
import { busyModels, pidOf, Traffic } from './traffic.ts'

interface Scene {
  readonly name: string
  readonly as: 'operator' | 'member'
  readonly theme?: 'dark'
  readonly size?: VisitOptions['size']
  /** True to wait until the charts have some points. */
  readonly hasCharts?: boolean
  readonly open: (page: Page, inferd: Inferd) => Promise<void>
}

/** Charts get a point per minute. */
const chartMs = 4 * 60_000

const [, visionModel] = inventedModels

const scenes: readonly Scene[] = [
  { name: 'models', as: 'operator', theme: 'dark', open: openModels },
  { name: 'accounts', as: 'operator', open: (page) => openList(page, '/admin/accounts') },
  { name: 'usage', as: 'member', open: (page) => openList(page, '/dashboard/usage') },
  { name: 'keys', as: 'member', size: 'narrow', open: (page) => openList(page, '/dashboard/keys') },
  { name: 'chat', as: 'member', theme: 'dark', open: openChat },
  { name: 'transcribe', as: 'member', open: openTranscript },
  { name: 'overview', as: 'operator', hasCharts: true, open: openOverview },
  { name: 'requests', as: 'operator', hasCharts: true, open: (page) => openList(page, '/admin/requests?tab=recent') },
]

/** Takes the pictures, and writes them into a folder as WebP. */
export async function takeDocsPictures(folder: string): Promise<number> {
  mkdirSync(folder, { recursive: true })
  using driver = new ScriptedDriver([idleDevice])
  await using inferd = new Inferd({ programs: driver.folder })
  const { session } = furnish(inferd)
  await inferd.start()
  const sessions = { member: session, operator: (await signInOperator(inferd)).session }
  inferd.key = await makeKey(inferd, session)
  await using traffic = new Traffic(inferd)
  const processes: Record<number, number> = {}
  for (const [model, parallel] of busyModels) {
    traffic.begin(model, parallel)
    const pid = await pidOf(inferd, model, sessions.operator)
    processes[pid] = mibOf(model)
    driver.tell([{ ...idleDevice, processes }])
    await Bun.spawn(['sh', '-c', 'echo go > "$0"', gateOf(inferd, model)]).exited
  }
  const begunMs = Date.now()
  const browser = await launchChromium()
  for (const { name, as, theme = 'light', size = 'wide', hasCharts = false, open } of scenes) {
    const account = { session: sessions[as] }
    if (hasCharts) await Bun.sleep(Math.max(0, begunMs + chartMs - Date.now()))
    await Visit.run(browser, inferd, { account, theme, size }, async ({ page }) => {
      await open(page, inferd)
      writeFileSync(join(folder, `${name}.webp`), await toWebp(browser, await page.screenshot()))
    })
  }
  await browser.close()
  return scenes.length
}

async function openList(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.locator('table tbody tr:visible').first().waitFor()
  await page.locator('.placeholder').first().waitFor({ state: 'detached' })
}

async function openModels(page: Page): Promise<void> {
  await openList(page, '/admin/models')
  await page.locator('.memory-bar a').first().waitFor()
}

async function openOverview(page: Page): Promise<void> {
  await page.goto('/admin')
  await page.locator('.memory-bar a').first().waitFor()
  await page
    .getByText(/[1-9][\d.]* tok\/s/)
    .first()
    .waitFor()
}

const sign = `<body style="margin:0;display:grid;place-content:center;height:100vh;background:#124d3a;color:#fff;
font:600 40px serif;text-align:center">Weekly market<br><small>Saturday 8 to 13 h</small></body>`

const thoughts =
  'The sign names a market, a day and two hours. The question is when to come, and for code that finds the next day. '

const answer = `The sign says **Weekly market, Saturday 8 to 13 h**, so come on Saturday before one o'clock.

| Day | Opens | Closes |
|---|---:|---:|
| Saturday | 8:00 | 13:00 |
| other days | – | – |

The next market day, as code:

\`\`\`python
from datetime import date, timedelta

def next_market(today: date) -> date:
    return today + timedelta(days=(5 - today.weekday()) % 7)
\`\`\`
`

/** The page sends a question, in place of which the fake engine gets the script of its answer. */
async function openChat(page: Page): Promise<void> {
  const tokens = (text: string) => text.match(/\s*\S+\s*?/g) ?? []
  const script = [
    ...tokens(thoughts).flatMap((reasoning) => [{ reasoning }, { delayMs: 12 }]),
    ...tokens(answer).flatMap((text) => [{ text }, { delayMs: 12 }]),
  ]
  await page.route('**/dashboard/v1/chat/completions', async (route) => {
    const body = route.request().postDataJSON()
    const content = body.messages.at(-1).content
    for (const part of content)
      if (part.type === 'text') part.text = scripted(script, { promptTokens: 1_102, cachedTokens: 1_024 })
    await route.continue({ postData: JSON.stringify(body) })
  })
  const drawn = await page.context().newPage()
  await drawn.setViewportSize({ width: 480, height: 320 })
  await drawn.setContent(sign)
  const buffer = await drawn.screenshot()
  await drawn.close()
  await page.goto(`/dashboard/chat?model=${encodeURIComponent(visionModel?.id ?? '')}`)
  await page.locator('.composer input[type=file]').setInputFiles({ name: 'sign.png', mimeType: 'image/png', buffer })
  await page
    .getByRole('textbox', { name: 'Message' })
    .fill('When is the market open, and how do I find the next day in Python?')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.locator('.step .details-button', { hasText: 'tokens' }).waitFor()
  await page.locator('.question').evaluate((question) => scrollBy(0, question.getBoundingClientRect().top - 72))
}

async function openTranscript(page: Page, inferd: Inferd): Promise<void> {
  await page.goto('/dashboard/transcribe')
  const file = { name: 'travel-plans.wav', mimeType: 'audio/wav', buffer: await spokenDialogue(inferd) }
  await page.getByLabel('Choose a file').setInputFiles(file)
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.locator('.turns').waitFor()
  for (const [index, name] of ['Ben', 'Anna'].entries()) {
    await page.getByPlaceholder(`SPEAKER_0${index}`).fill(name)
  }
  await page
    .locator('h2')
    .first()
    .evaluate((heading) => scrollBy(0, heading.getBoundingClientRect().top - 72))
}

async function makeKey({ url }: Inferd, session: string): Promise<string> {
  const headers = { cookie: `inferd_session=${session}`, origin: url, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'nightly report' })
  const response = await fetch(`${url}/dashboard/api/operations/keys-create`, { method: 'POST', headers, body })
  return ((await response.json()) as { result: { key: string } }).result.key
}

/** Converts PNG to WebP in the browser, which takes a third of the bytes. */
async function toWebp(browser: Browser, png: Buffer): Promise<Buffer> {
  const page = await browser.newPage()
  const url = await page.evaluate(
    async (source) => {
      const picture = await createImageBitmap(await (await fetch(source)).blob())
      const canvas = document.createElement('canvas')
      canvas.width = picture.width
      canvas.height = picture.height
      canvas.getContext('2d')?.drawImage(picture, 0, 0)
      return canvas.toDataURL('image/webp', 0.9)
    },
    `data:image/png;base64,${png.toString('base64')}`,
  )
  await page.close()
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
}
