import { loadDocument, offlineSinceMs } from '../api/connection.ts'
import { isUpdated } from '../api/version.ts'
import { clockTime } from '../parts/time-text.ts'
import { texts } from '../texts/texts.ts'

/** Notices for all pages: no connection, an update, a connection that others can read. */
export function Bars() {
  const since = offlineSinceMs.value
  return (
    <div class="bars" aria-live="polite">
      {since !== undefined && <p class="bar bad">{texts.shell.offline(clockTime(since))}</p>}
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
