/**
 * Pictures of every page in every state, at three widths and in both themes, for eyes: `bun run screens [PATH]` writes them
 * into build/screens; with a path only the pages below it. `bun run screens --docs` writes those of docs/screens,
 * `--kit` the reference pictures of the page of all parts, `--icons` the icons of the installed pages.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeAccount, signIn, signInOperator } from '../ui/testing/accounts.ts'
import { allPages } from '../ui/testing/all-pages.ts'
import { launchChromium } from '../ui/testing/chromium.ts'
import { Inferd } from '../ui/testing/inferd.ts'
import { kitPictures, serveKit, shots, takeShot } from '../ui/testing/kit.ts'
import { pageStates } from '../ui/testing/page-states.ts'
import { sizes, Visit } from '../ui/testing/visit.ts'
import { buildUi } from './build/build-ui.ts'
import { appIconPath, appIcons } from './build/web-manifest.ts'
import { drawAppIcon } from './screens/app-icons.ts'
import { takeDocsPictures } from './screens/docs-pictures.ts'

const wanted = process.argv[2] ?? '/'
const folder = join(import.meta.dir, '..', 'build', 'screens')
const themes = ['light', 'dark'] as const
const sizeNames = Object.keys(sizes) as (keyof typeof sizes)[]

if (wanted === '--icons') {
  await drawAppIcons()
  process.exit()
}
await buildUi()
if (wanted === '--docs') {
  const docs = join(import.meta.dir, '..', 'docs', 'screens')
  console.log(`${await takeDocsPictures(docs)} pictures in ${docs}`)
  process.exit()
}
if (wanted === '--kit') {
  await takeKitPictures()
  process.exit()
}
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
await using inferd = new Inferd()
await inferd.start()
const browser = await launchChromium()
const { email, password } = await makeAccount(inferd, { balanceUsd: '4.203114' })
const visitor = async (path: string) =>
  path.startsWith('/admin') ? signInOperator(inferd) : { session: await signIn(inferd, email, password) }
let count = 0
let failures = 0
for (const { path, address, isForGuests, states } of allPages.filter((page) => page.path.startsWith(wanted))) {
  for (const state of states) {
    for (const size of sizeNames) {
      for (const theme of themes) {
        const account = isForGuests ? {} : { account: await visitor(path) }
        const name = [path.slice(1).replaceAll(/\W+/g, '-'), state.replace(' ', '-'), size, theme].join('.')
        await Visit.run(browser, inferd, { ...account, size, theme }, async ({ page }) => {
          await pageStates[state](page, address)
          await page.screenshot({ path: join(folder, `${name}.png`), fullPage: size === 'narrow' })
        }).catch((error) => {
          failures += 1
          console.error(`${name}: ${error.message}`)
        })
        count += 1
      }
    }
  }
}
await browser.close()
console.log(`${count - failures} of ${count} pictures in ${folder}`)
if (failures > 0) process.exitCode = 1

async function takeKitPictures(): Promise<void> {
  await using kit = await serveKit()
  const browser = await launchChromium()
  mkdirSync(kitPictures, { recursive: true })
  for (const shot of shots) {
    writeFileSync(join(kitPictures, `${shot.name}.png`), await takeShot(browser, kit.url, shot))
  }
  await browser.close()
  console.log(`${shots.length} pictures in ${kitPictures}`)
}

async function drawAppIcons(): Promise<void> {
  const browser = await launchChromium()
  for (const icon of appIcons) {
    writeFileSync(appIconPath(icon), await drawAppIcon(browser, icon))
  }
  await browser.close()
  console.log(`${appIcons.length} icons in ui/icons`)
}
