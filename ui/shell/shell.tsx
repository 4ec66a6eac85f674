import { useCallback, useEffect, useState } from 'preact/hooks'
import { loadDocument, offlineSinceMs } from '../api/connection.ts'
import { hasLostPayer } from '../api/payer.ts'
import { keepFresh, status } from '../api/session.ts'
import { mustSignIn } from '../api/signed-out.ts'
import { isUpdated } from '../api/version.ts'
import { knownPaths, pages } from '../pages/page-table.ts'
import type { Space } from '../pages/rail-entries.ts'
import { Announcements } from '../parts/announce.tsx'
import { clockTime } from '../parts/time-text.ts'
import { findPage } from '../router/find-page.ts'
import { place } from '../router/router.ts'
import { texts } from '../texts/texts.ts'
import { CurrentPage } from './current-page.tsx'
import { Rail } from './rail.tsx'
import { RailSheet } from './rail-sheet.tsx'
import { SignInDialog } from './sign-in-dialog.tsx'
import { rememberPlace } from './spaces.ts'
import { TopLine } from './top-line.tsx'

/** Shows the frame of every page. Pages for guests have no rail. */
export function Shell({ space }: { readonly space: Space }) {
  const [isMenuOpen, setIsMenuOpen] = useState(false)
  const here = place.value
  const { pathname, query } = here
  const found = findPage(
    knownPaths.filter((path) => path.startsWith('/admin') === (space === 'operate')),
    pathname,
  )
  const { isForGuests = false, isPlay = false } = found === undefined ? {} : pages[found.path]

  // Members who open an operator's page keep their own rail.
  const railSpace = status.value?.role === 'member' ? 'use' : space
  const closeMenu = useCallback(() => setIsMenuOpen(false), [])
  useEffect(closeMenu, [here])
  useEffect(() => {
    if (found !== undefined && !isForGuests) rememberPlace(space, query.size === 0 ? pathname : `${pathname}?${query}`)
  }, [here])
  useEffect(keepFresh, [])

  return (
    <div class={isForGuests ? 'shell for-guests' : 'shell'}>
      <a class="skip" href="#content">
        {texts.shell.skip}
      </a>
      <TopLine
        space={space}
        isPlay={isPlay}
        hasMenu={!isForGuests}
        isMenuOpen={isMenuOpen}
        onMenu={() => setIsMenuOpen(true)}
      />
      {isMenuOpen && (
        <RailSheet onClose={closeMenu}>
          <Rail space={railSpace} path={found?.path} />
        </RailSheet>
      )}
      <Bars />
      <div class="columns">
        {!isForGuests && (
          <div class="rail">
            <Rail space={railSpace} path={found?.path} />
          </div>
        )}
        <main id="content" tabIndex={-1}>
          <CurrentPage found={found} />
        </main>
      </div>
      <Announcements />
      {mustSignIn.value && <SignInDialog />}
    </div>
  )
}

/** Shows notices on all pages: no connection, a team that no longer pays, an update, a connection that others can read. */
function Bars() {
  const since = offlineSinceMs.value
  return (
    <div class="bars" aria-live="polite">
      {since !== undefined && <p class="bar bad">{texts.shell.offline(clockTime(since))}</p>}
      {hasLostPayer.value && (
        <p class="bar lost">
          {texts.shell.lostPayer}{' '}
          <button
            type="button"
            onClick={() => {
              hasLostPayer.value = false
            }}
          >
            {texts.shared.close}
          </button>
        </p>
      )}
      {isUpdated.value && (
        <p class="bar">
          {texts.shell.updated}{' '}
          <button type="button" onClick={() => void loadDocument(location.href)}>
            {texts.shell.reload}
          </button>
        </p>
      )}
      {!globalThis.isSecureContext && (
        <p class="bar warn">
          {texts.shell.insecure} <a href="/docs/tls">{texts.shell.encrypt}</a>
        </p>
      )}
    </div>
  )
}
