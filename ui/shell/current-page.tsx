import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { PagePath } from '../../src/wire/page-paths.ts'
import { asFailure, type RequestFailure } from '../api/failure.ts'
import { loadSession, me } from '../api/session.ts'
import { type PageProps, pages } from '../pages/page-table.ts'
import { FailureBox } from '../parts/failure-box.tsx'
import { Page } from '../parts/page.tsx'
import type { FoundPage } from '../router/find-page.ts'
import { loadPage } from '../router/load-page.ts'
import { texts } from '../texts/texts.ts'

interface Loaded {
  readonly path: PagePath
  readonly Component: ComponentType<PageProps>
}

/** The page of the address, when its code and the account are there. The page before it stays until then. */
export function CurrentPage({ found }: { readonly found: FoundPage<PagePath> | undefined }) {
  const [loaded, setLoaded] = useState<Loaded>()
  const [failure, setFailure] = useState<RequestFailure>()
  const [attempt, setAttempt] = useState(0)
  const shownId = useRef('')
  const path = found?.path

  useEffect(() => {
    if (path === undefined) return
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

  if (found === undefined) return <Page title={texts.shell.missing}>{texts.shell.missingText}</Page>
  if (failure !== undefined) {
    return (
      <Page title={pages[found.path].title}>
        <FailureBox failure={failure} onRetry={() => setAttempt(attempt + 1)} />
      </Page>
    )
  }
  if (loaded === undefined) return null
  // The page before keeps its id as long as it is shown.
  if (loaded.path === found.path) shownId.current = found.id
  const { Component } = loaded
  return <Component key={loaded.path} id={shownId.current} />
}

async function prepare(path: PagePath): Promise<ComponentType<PageProps>> {
  const { load, isForGuests = false } = pages[path]
  const session = me.value === undefined ? loadSession({ isForGuests }) : undefined
  const [module] = await Promise.all([loadPage(load), isForGuests ? session?.catch(() => undefined) : session])
  return module.default
}
