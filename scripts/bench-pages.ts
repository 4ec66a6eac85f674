/**
 * Measures the pages on a slow machine: `bun run bench:pages [PATH]`. Loads each page five times, with an empty browser
 * cache and a processor slowed down to a quarter, and prints the medians.
 */
import { makeAccount, signIn, signInOperator } from '../ui/testing/accounts.ts'
import { allPages } from '../ui/testing/all-pages.ts'
import { launchChromium } from '../ui/testing/chromium.ts'
import { Inferd } from '../ui/testing/inferd.ts'
import { loadPage, type PageLoad } from './bench/pages/load-page.ts'
import { buildUi } from './build/build-ui.ts'
import { describeMachine, readMachine } from './shared/machine.ts'
import { markdownTable } from './shared/markdown-table.ts'
import { median } from './shared/statistics.ts'

const slowdown = 4
const rounds = 5
const wanted = process.argv[2] ?? '/'

const machine = await readMachine()
await buildUi()
await using inferd = new Inferd()
await inferd.start()
const browser = await launchChromium()
const { email, password } = await makeAccount(inferd, { balanceUsd: '4.203114' })
const member = { session: await signIn(inferd, email, password) }
const operator = await signInOperator(inferd)

const rows: (readonly string[])[] = []
for (const { path, address, isForGuests } of allPages.filter((page) => page.path.startsWith(wanted))) {
  const account = path.startsWith('/admin') ? operator : member
  const loads: PageLoad[] = []
  for (let round = 0; round < rounds; round += 1) {
    loads.push(await loadPage(browser, inferd, { ...(!isForGuests && { account }), address, slowdown }))
  }
  const middle = (of: keyof PageLoad) => median(loads.map((one) => one[of])).toFixed(0)
  rows.push([path, middle('paintMs'), middle('usableMs'), middle('processorMs'), middle('compressedBytes')])
}
await browser.close()
const head = ['page', 'first paint, ms', 'usable, ms', 'processor, ms', 'bytes loaded']
console.log([...describeMachine(machine), '', ...markdownTable(head, rows)].join('\n'))
