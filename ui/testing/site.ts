import { afterAll, beforeAll } from 'bun:test'
import type { Browser } from 'playwright-core'
import { makeAccount, signIn, signInOperator, type TestAccount } from './accounts.ts'
import { launchChromium } from './chromium.ts'
import { Inferd, type InferdOptions } from './inferd.ts'
import { Visit, type VisitOptions } from './visit.ts'

export interface Site {
  readonly inferd: Inferd
  /** Visits the pages. Also rejects if they did anything that no page may do. */
  visit(options: VisitOptions, work: (visit: Visit) => Promise<void>): Promise<void>
  account(options?: { readonly balanceUsd?: string }): Promise<TestAccount>
  /** Returns a new session of the operator. */
  operator(): Promise<Pick<TestAccount, 'session'>>
  /** Returns a new session of an account that may see the page: the operator's for operators' pages. */
  visitor(path: string): Promise<Pick<TestAccount, 'session'>>
}

export interface SiteOptions extends InferdOptions {
  /** Flags of `inferd serve` */
  readonly flags?: readonly string[]
  /** Flags of Chromium */
  readonly browserFlags?: readonly string[]
  /** True for pages that ask for permissions, can be installed, are attacked by others, or are timed */
  readonly needsWholeBrowser?: boolean
}

/** Provides a server and a browser for the tests of a file. */
export function openSite({
  flags = [],
  browserFlags = [],
  needsWholeBrowser = false,
  ...options
}: SiteOptions = {}): Site {
  const inferd = new Inferd(options)
  let browser: Browser | undefined
  let member: TestAccount | undefined

  beforeAll(async () => {
    ;[browser] = await Promise.all([launchChromium(browserFlags, !needsWholeBrowser), inferd.start(flags)])
  }, 60_000)

  afterAll(async () => {
    await browser?.close()
    await inferd[Symbol.asyncDispose]()
  })

  return {
    inferd,
    visit: async (options, work) => {
      if (browser === undefined) throw new Error('the browser is not there yet: this is a bug')
      await Visit.run(browser, inferd, options, work)
    },
    account: (options) => makeAccount(inferd, options),
    operator: () => signInOperator(inferd),
    visitor: async (path) => {
      if (path.startsWith('/admin')) return signInOperator(inferd)
      member ??= await makeAccount(inferd, { balanceUsd: '4.203114' })
      return { session: await signIn(inferd, member.email, member.password) }
    },
  }
}
