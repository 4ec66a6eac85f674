import type { AccountRequestPage } from '../../../src/wire/pages/requests.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Chips } from '../../parts/chips.tsx'
import { Empty, Loaded } from '../../parts/loaded.tsx'
import { Pager, pageQuery, shownRows } from '../../parts/pager.tsx'
import { RequestTable } from '../../parts/request-table.tsx'
import { show } from '../../parts/usage/usage-tools.tsx'
import { place } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'
import { timeText } from './own-report.ts'

interface RequestsProps {
  readonly fromMs: number
  readonly toMs: number
  readonly model: string | undefined
  readonly keyId: string | undefined
}

/** Requests of the time, the latest first: all of them, or those that failed. */
export function Requests({ fromMs, toMs, model, keyId }: RequestsProps) {
  const filter = place.value.query.get('requests') === 'failed' ? 'failed' : 'all'
  const { limit, before } = pageQuery()
  const query = new URLSearchParams({ limit: String(limit), from: timeText(fromMs), to: timeText(toMs) })
  if (before !== undefined) query.set('before', before)
  if (model !== undefined) query.set('model', model)
  if (keyId !== undefined) query.set('key', keyId)
  if (filter === 'failed') query.set('failed', 'true')
  const answer = useAnswer<AccountRequestPage>(`/dashboard/api/requests?${query}`)
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
        {({ data }) => (
          <div class="stack">
            {data.length === 0 ? <Empty text={texts.ownUsage.noRequests} /> : <RequestTable rows={shownRows(data)} />}
            <Pager rows={data} idOf={({ request_id: id }) => id} />
          </div>
        )}
      </Loaded>
    </section>
  )
}
