import { offlineSinceMs } from '../../api/connection.ts'
import type { Rows } from '../../api/operation.ts'
import { May } from '../../parts/may.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { texts } from '../../texts/operator-texts.ts'

type Mail = Rows<'outbox-list'>

interface MailTableProps {
  readonly rows: readonly Mail[]
  /** True if there is a mail server. */
  readonly canSend: boolean
  readonly onOpen: (mail: Mail) => void
  readonly onRetry: (mail: Mail) => void
}

export function MailTable({ rows, canSend, onOpen, onRetry }: MailTableProps) {
  const { columns: titles, caption, copyLink, tryNow } = texts.mail
  const isOffline = offlineSinceMs.value !== undefined
  return (
    <Table
      caption={caption}
      rows={rows}
      rowKey={({ id }) => id}
      columns={[
        { title: titles.to, cell: ({ address }) => <span class="who">{address}</span> },
        { title: titles.purpose, cell: ({ purpose }) => texts.mail.purposes[purpose] },
        { title: titles.age, cell: ({ createdMs }) => <Time at={createdMs} /> },
        { title: titles.attempts, isNumber: true, cell: ({ attempts }) => attempts },
        { title: titles.next, cell: (mail) => next(mail, canSend) },
        { title: titles.failure, cell: ({ failure }) => failure },
        {
          title: titles.actions,
          cell: (mail) =>
            mail.sentMs === null && (
              <span class="row">
                <May perform="outbox-open">
                  <button type="button" class="small" disabled={isOffline} onClick={() => onOpen(mail)}>
                    {copyLink} <span class="unseen">{mail.address}</span>
                  </button>
                </May>
                {canSend && (
                  <May perform="outbox-retry">
                    <button type="button" class="small" disabled={isOffline} onClick={() => onRetry(mail)}>
                      {tryNow} <span class="unseen">{mail.address}</span>
                    </button>
                  </May>
                )}
              </span>
            ),
        },
      ]}
    />
  )
}

function next({ sentMs, nextAttemptMs }: Mail, canSend: boolean) {
  if (sentMs !== null) return texts.mail.sent
  return nextAttemptMs === null || !canSend ? texts.mail.notByItself : <Time at={nextAttemptMs} />
}
