import { useSignalEffect } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { PagePath } from '../../src/wire/page-paths.ts'
import { checkConnection, reconnections } from '../api/connection.ts'
import { asFailure, noConnection, type RequestFailure } from '../api/failure.ts'
import { loadSession, me, status } from '../api/session.ts'
import { mayOpen, type PageProps, pages } from '../pages/page-table.ts'
import { sharedEntryOf } from '../pages/rail-entries.ts'
import { FailureBox } from '../parts/failure-box.tsx'
import { ownCommand } from '../parts/own-command.ts'
import { Page, type PageTabs, ShownTabs } from '../parts/page.tsx'
import type { FoundPage } from '../router/find-page.ts'
import { texts } from '../texts/texts.ts'
import { SignOut } from './sign-out.tsx'
import { spaceAddress } from './spaces.ts'

interface Loaded {
  readonly path: PagePath
  readonly Component: ComponentType<PageProps>
}

/** Shows the page of the address once its code and the account are loaded. Until then the previous page stays. */
export function CurrentPage({ found }: { readonly found: FoundPage<PagePath> | undefined }) {
  const [loaded, setLoaded] = useState<Loaded>()
  const [failure, setFailure] = useState<RequestFailure>()
  const [attempt, setAttempt] = useState(0)
  const shownId = useRef('')
  const path = found?.path

  useEffect(() => {
    if (path === undefined) {
      // The menu around the page shows the existing pages.
      void loadSession({ isForGuests: true }).catch(() => undefined)
      return
    }
    let isWanted = true
    setFailure(undefined)
    void prepare(path).then(
      (Component) => isWanted && setLoaded({ path, Component }),
      (error) => isWanted && setFailure(asFailure(error)),
    )
    return () => {
      isWanted = false
    }
  }, [path, attempt])

  // Failed loads are retried once the server is back.
  const hasFailed = failure !== undefined
  useSignalEffect(() => {
    if (reconnections.value > 0 && hasFailed) setAttempt((before) => before + 1)
  })

  if (found === undefined) {
    return (
      <Page title={texts.shell.missing} intro={texts.shell.missingText}>
        <a href="/dashboard">{texts.shell.home}</a>
      </Page>
    )
  }
  if (failure !== undefined) {
    return (
      <ShownTabs.Provider value={tabsOf(found.path)}>
        <Page title={pages[found.path].title}>
          <FailureBox failure={failure} onRetry={() => setAttempt(attempt + 1)} />
        </Page>
      </ShownTabs.Provider>
    )
  }
  if (loaded === undefined) return null
  const isOfOperators = found.path.startsWith('/admin') && pages[found.path].isForGuests !== true
  if (isOfOperators && status.value?.role === 'member') return <ForOperators />
  if (status.value?.role !== undefined && !mayOpen(found.path)) return <ForOtherRole />
  // The previous page keeps its id as long as it is shown.
  if (loaded.path === found.path) shownId.current = found.id
  const { Component } = loaded
  return (
    <ShownTabs.Provider value={tabsOf(loaded.path)}>
      <Component key={loaded.path} id={shownId.current} />
    </ShownTabs.Provider>
  )
}

/** Returns the tabs of a page that shares its entry of the rail. */
function tabsOf(path: PagePath): PageTabs | undefined {
  const entry = sharedEntryOf(path)
  if (entry === undefined) return undefined
  const tabs = entry.paths.map((one) => ({ path: one, title: pages[one].title, isCurrent: one === path }))
  return { title: entry.title, tabs }
}

/** Explains that the page is for operators, and links to a member's pages. */
function ForOperators() {
  const words = texts.shell
  if (me.value?.secondFactor === 'required') {
    return (
      <Page title={words.forOperators} intro={words.needsFactor}>
        <a class="button primary" href="/dashboard/account">
          {words.setUpFactor}
        </a>
      </Page>
    )
  }
  return (
    <Page title={words.forOperators} intro={words.forOperatorsText(me.value?.email ?? me.value?.name ?? '')}>
      <div class="row">
        <a class="button primary" href="/dashboard">
          {words.home}
        </a>
        <SignOut />
      </div>
      <p class="hint">
        {words.becomeOperator} <code>{ownCommand('admin link')}</code>
      </p>
    </Page>
  )
}

/** Explains that the page is not for the role of the staff who are signed in. */
function ForOtherRole() {
  const words = texts.shell
  return (
    <Page title={words.forOtherRole} intro={words.forOtherRoleText}>
      <a class="button primary" href={spaceAddress('operate', 'operate')}>
        {words.home}
      </a>
    </Page>
  )
}

async function prepare(path: PagePath): Promise<ComponentType<PageProps>> {
  const { load, isForGuests = false } = pages[path]
  const session = me.value === undefined ? loadSession({ isForGuests }) : undefined
  const code = loadPage(load, checkConnection).catch((error: unknown) => {
    throw error instanceof LostPage ? noConnection() : error
  })
  const [module] = await Promise.all([code, isForGuests ? session?.catch(() => undefined) : session])
  return module.default
}

/** Key in the session's storage that marks a reload of the document */
const reloadedKey = 'inferd-reloaded'

/**
 * Loads a page's code. After an update of the server the old file names are gone, so the document is reloaded, once.
 * Rejects with `LostPage` if `isServed` resolves with false.
 */
async function loadPage<Module>(load: () => Promise<Module>, isServed: () => Promise<boolean>): Promise<Module> {
  try {
    const loaded = await load()
    sessionStorage.removeItem(reloadedKey)
    return loaded
  } catch (error) {
    if (!(await isServed())) throw new LostPage()
    if (sessionStorage.getItem(reloadedKey) !== null) throw error
    sessionStorage.setItem(reloadedKey, 'yes')
    location.reload()
    return new Promise(() => undefined)
  }
}

class LostPage extends Error {}
