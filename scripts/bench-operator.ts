/**
 * Measures the operator's and the member's pages on a database with a year of usage, and the effect of eight open
 * operator tabs on the server's chats. See docs/benchmarks.md.
 */
import { setPriority } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext } from 'playwright-core'
import { fillDatabase } from '../src/testing/large-database.ts'
import { signInOperator } from '../ui/testing/accounts.ts'
import { launchChromium } from '../ui/testing/chromium.ts'
import { addFakeModel } from '../ui/testing/fake-models.ts'
import { Inferd } from '../ui/testing/inferd.ts'
import { memberPages, operatorPages } from '../ui/testing/large-pages.ts'
import { pageStates } from '../ui/testing/page-states.ts'
import type { ChatTimes } from './bench/pages/chat-streams.ts'
import { loadPage, type PageLoad } from './bench/pages/load-page.ts'
import { buildUi } from './build/build-ui.ts'
import { readFlags, runScript } from './shared/command-line.ts'
import { describeMachine, readMachine } from './shared/machine.ts'
import { markdownTable } from './shared/markdown-table.ts'
import { cpuSeconds, descendantsOf, residentMib } from './shared/process-usage.ts'
import { median, percentile } from './shared/statistics.ts'

const usage = 'usage: bun run bench:operator [--loads 3] [--rounds 5] [--seconds 10] [--streams 8]'
const slowdowns = [1, 4]
const tabs = ['', '', '', '/models', '/requests', '/requests?tab=paid', '/usage', '/accounts'].map(
  (path) => `/admin${path}`,
)

interface Flags {
  readonly loads: number
  readonly rounds: number
  readonly seconds: number
  readonly streams: number
}

interface Round extends ChatTimes {
  /** Cores that the server uses. */
  readonly cores: number
}

interface Place {
  readonly browser: Browser
  readonly inferd: Inferd
  readonly operator: Session
  /** Addresses of the operator's pages. */
  readonly addresses: readonly string[]
  /** Key of the operator's account. */
  readonly key: string
}

type Session = Awaited<ReturnType<typeof signInOperator>>

async function main(): Promise<number> {
  const flags = readFlags({ loads: 3, rounds: 5, seconds: 10, streams: 8 })
  console.log(describeMachine(await readMachine()).join('\n'))
  await buildUi()
  await using inferd = new Inferd()
  addFakeModel(inferd, 'fake')
  const { busiestAccount, session } = fillDatabase(join(inferd.dataDir, 'inferd.db'))
  await inferd.start(['--parallel', String(flags.streams)])
  const browser = await launchChromium()
  try {
    const operator = await signInOperator(inferd)
    const { key } = JSON.parse(await inferd.run('keys', 'create', '--name', 'bench', '--json')) as { key: string }
    await runDoctor(inferd, operator)
    const addresses = [
      ...operatorPages(busiestAccount).map((address) => ({ address, account: operator })),
      ...memberPages().map((address) => ({ address, account: { session } })),
    ]
    if (flags.loads > 0) console.log((await pagesTable(browser, inferd, addresses, flags.loads)).join('\n'))
    if (flags.rounds > 0)
      console.log(
        (await tabsTable({ browser, inferd, operator, addresses: operatorPages(busiestAccount), key }, flags)).join(
          '\n',
        ),
      )
  } finally {
    await browser.close()
  }
  return 0
}

/** Runs the doctor before, since it reads the whole database. The page shows its last findings. */
async function runDoctor({ url }: Inferd, { session }: Session): Promise<void> {
  const headers = { cookie: `inferd_session=${session}`, origin: url, 'content-type': 'application/json' }
  const response = await fetch(`${url}/admin/api/operations/doctor`, { method: 'POST', headers, body: '{}' })
  if (!response.ok) throw new Error(`doctor: ${response.status} ${await response.text()}`)
}

/** Returns a row per page, with the median time until it is usable at each slowdown. */
async function pagesTable(
  browser: Browser,
  inferd: Inferd,
  addresses: readonly { readonly address: string; readonly account: Session }[],
  loads: number,
): Promise<string[]> {
  const rows: (readonly string[])[] = []
  for (const each of addresses) {
    const figures: string[] = []
    for (const slowdown of slowdowns) {
      const done: PageLoad[] = []
      for (let load = 0; load < loads; load += 1) done.push(await loadPage(browser, inferd, { ...each, slowdown }))
      const middle = (of: keyof PageLoad) => median(done.map((one) => one[of])).toFixed(0)
      figures.push(middle('usableMs'), middle('processorMs'))
    }
    rows.push([each.address, ...figures])
  }
  const head = slowdowns.flatMap((slowdown) => [`usable at ${slowdown}x, ms`, `processor at ${slowdown}x, ms`])
  return markdownTable(['page', ...head], rows)
}

/** Measures chats in turns: without tabs, with eight tabs, and with one of these changing pages as fast as it can. */
async function tabsTable(place: Place, flags: Flags): Promise<string[]> {
  const results = { 'no tab': [] as Round[], 'eight tabs': [] as Round[], 'one of them in use': [] as Round[] }
  // The first round warms all up.
  for (let round = 0; round <= flags.rounds; round += 1) {
    const without = await measure(place, flags)
    const context = await openTabs(place)
    const withTabs = await measure(place, flags)
    const using = new AbortController()
    const used = usePages(context, place.addresses, using.signal)
    const inUse = await measure(place, flags)
    using.abort()
    await used
    await context.close()
    if (round === 0) continue
    results['no tab'].push(without)
    results['eight tabs'].push(withTabs)
    results['one of them in use'].push(inUse)
  }
  const rows = Object.entries(results).map(([name, rounds]) => {
    const of = (value: (round: Round) => number, digits = 1) => median(rounds.map(value)).toFixed(digits)
    return [
      name,
      of(({ firstMs }) => median(firstMs)),
      of(({ firstMs }) => percentile(firstMs, 0.99)),
      of(({ gapMs }) => median(gapMs)),
      of(({ gapMs }) => percentile(gapMs, 0.99)),
      of(({ gapMs }) => Math.max(...gapMs)),
      of(({ cores }) => cores, 3),
    ]
  })
  const head = ['', 'first text p50, ms', 'p99', 'between texts p50, ms', 'p99', 'longest', 'cores of the server']
  return [...markdownTable(head, rows), `The server has ${residentMib(place.inferd.pid).toFixed(0)} MiB.`]
}

async function openTabs({ browser, inferd, operator: { session } }: Place): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: inferd.url })
  await context.addCookies([{ name: 'inferd_session', value: session, url: inferd.url }])
  for (const address of tabs) {
    const page = await context.newPage()
    await page.goto(address)
    await page.getByRole('heading', { level: 1 }).waitFor()
  }
  // The browser only gets the time that the server leaves, since people run it on other machines.
  const served = [inferd.pid, ...descendantsOf(inferd.pid)]
  const browsers = descendantsOf(process.pid).filter((pid) => !served.includes(pid))
  for (const pid of browsers) setPriority(pid, 19)
  return context
}

async function usePages(context: BrowserContext, addresses: readonly string[], signal: AbortSignal): Promise<void> {
  const [page] = context.pages()
  if (page === undefined) throw new Error('no tab is open: this is a bug')
  for (let index = 0; !signal.aborted; index = (index + 1) % addresses.length) {
    await pageStates.ready(page, addresses[index] ?? '/admin')
  }
}

async function measure({ inferd, key }: Place, { seconds, streams }: Flags): Promise<Round> {
  const script = join(import.meta.dir, 'bench', 'pages', 'chat-streams.ts')
  const words = [inferd.url, key, String(streams), String(seconds * 1_000)]
  const [startMs, startCpu] = [performance.now(), cpuSeconds(inferd.pid)]
  const child = Bun.spawn([process.execPath, script, ...words], { stdout: 'pipe', stderr: 'inherit' })
  const times = JSON.parse(await child.stdout.text()) as ChatTimes
  const cores = (cpuSeconds(inferd.pid) - startCpu) / ((performance.now() - startMs) / 1_000)
  return { ...times, cores }
}

runScript(usage, main)
