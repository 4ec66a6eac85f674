/** Home: the balance, the steps to a first request, and the latest requests. */
import { useResult } from '../../api/own-operation.ts'
import { me, status } from '../../api/session.ts'
import { BalanceCard } from '../../parts/balance-card.tsx'
import { CodeTabs } from '../../parts/code-drawer.tsx'
import { exampleCall } from '../../parts/code-text.ts'
import { ConfirmAddress } from '../../parts/confirm-address.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { RequestTable } from '../../parts/request-table.tsx'
import { texts } from '../../texts/texts.ts'

export default function Home() {
  const keys = useResult('keys-list', { state: 'usable', limit: 2 })
  const requests = useResult('usage-list', { limit: 5 }, { everyMs: 30_000 })
  return (
    <Page title={texts.home.title} intro={texts.home.intro}>
      <div class="stack">
        <div class="cards">
          <BalanceCard>
            {me.value?.isUnmetered === false && (
              <p>
                <a href="/dashboard/billing">{texts.home.billing}</a>
              </p>
            )}
          </BalanceCard>
          <ConfirmAddress />
        </div>
        <section class="card stack">
          <h2>{texts.home.startTitle}</h2>
          <Loaded answer={keys} lines={6}>
            {(rows) => <FirstRequest hasKey={rows.some((key) => !key.isPlayground)} />}
          </Loaded>
        </section>
        <section class="stack">
          <div class="row">
            <h2 class="space">{texts.home.requestsTitle}</h2>
            <a href="/dashboard/usage">{texts.home.all}</a>
          </div>
          <Loaded answer={requests} lines={5}>
            {(rows) =>
              rows.length > 0 ? (
                <RequestTable rows={rows} />
              ) : (
                <Empty text={texts.home.noRequests}>
                  <a class="button" href="/dashboard/play/chat">
                    {texts.home.tryChat}
                  </a>
                </Empty>
              )
            }
          </Loaded>
        </section>
      </div>
    </Page>
  )
}

/** Shows a first request: a key if there is none, then the address and runnable code. */
function FirstRequest({ hasKey }: { readonly hasKey: boolean }) {
  const baseUrl = `${status.value?.base_url ?? location.origin}/v1`
  const model = status.value?.example_model
  return (
    <div class="stack">
      {!hasKey && (
        <div class="row">
          <p>{texts.home.noKey}</p>
          <a class="button primary" href="/dashboard/keys">
            {texts.home.createKey}
          </a>
        </div>
      )}
      <div class="row">
        <span class="muted">{texts.home.baseUrl}</span> <code>{baseUrl}</code>
        <CopyButton text={baseUrl} what={texts.home.baseUrl} />
      </div>
      <CodeTabs call={exampleCall(model)} />
      {model === null && <p class="hint">{texts.home.noModel}</p>}
    </div>
  )
}
