import { useResult } from '../../api/own-operation.ts'
import { Chips } from '../../parts/chips.tsx'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { Pager, pageQuery, shownRows } from '../../parts/pager.tsx'
import { RequestTable } from '../../parts/request-table.tsx'
import { show } from '../../parts/usage/usage-tools.tsx'
import { place } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'

interface RequestsProps {
  /** Team that paid. Undefined for the account itself. */
  readonly account: string | undefined
  readonly fromMs: number
  readonly toMs: number
  readonly model: string | undefined
  readonly keyId: string | undefined
}

/** Lists the requests of the time, the latest first: all, or those that failed. */
export function Requests({ account, fromMs, toMs, model, keyId }: RequestsProps) {
  const filter = place.value.query.get('requests') === 'failed' ? 'failed' : 'all'
  const hasFailed = filter === 'failed' ? true : undefined
  const answer = useResult('usage-list', { account, fromMs, toMs, model, key: keyId, hasFailed, ...pageQuery() })
  return (
    <section class="stack">
      <div class="row">
        <h2 class="space">{texts.ownUsage.requestsTitle}</h2>
        <Chips
          label={texts.ownUsage.filter}
          value={filter}
          choices={texts.ownUsage.filters}
          onChange={(requests) => show({ requests: requests === 'all' ? undefined : requests })}
        />
      </div>
      <Loaded answer={answer} lines={6}>
        {(rows) => (
          <div class="stack">
            {rows.length === 0 ? (
              <Empty text={texts.ownUsage.noRequests}>
                <a class="button" href="/dashboard/chat">
                  {texts.shared.tryChat}
                </a>
              </Empty>
            ) : (
              <RequestTable rows={shownRows(rows)} />
            )}
            <Pager rows={rows} idOf={({ requestId }) => requestId} />
          </div>
        )}
      </Loaded>
    </section>
  )
}
