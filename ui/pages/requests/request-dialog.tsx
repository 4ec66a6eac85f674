import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Figures } from '../../parts/figures.tsx'
import { Money } from '../../parts/money.tsx'
import { StateWord } from '../../parts/state-word.tsx'
import { exactTime } from '../../parts/time-text.ts'
import { texts } from '../../texts/texts.ts'
import { type RequestRow, statusOf } from './request-table.tsx'

interface RequestDialogProps {
  readonly row: RequestRow
  readonly onClose: () => void
}

/** Everything that is kept of a request. */
export function RequestDialog({ row, onClose }: RequestDialogProps) {
  const words = texts.requests
  const items = [
    [words.columns.time, exactTime(row.startedMs)],
    [words.endpoint, row.endpoint],
    [words.columns.model, row.model ?? ''],
    [words.columns.who, row.accountName ?? row.accountId ?? ''],
    [words.key, row.keyName ?? row.keyId ?? ''],
    [words.finish, row.finish ?? ''],
    [words.code, row.code ?? ''],
    [words.columns.cost, row.costUsd === null ? '' : <Money usd={row.costUsd} />],
    [words.charged, row.chargedUsd === null ? '' : <Money usd={row.chargedUsd} />],
  ] as const
  return (
    <Dialog title={words.show} onClose={onClose}>
      <p class="row">
        <code>{row.id}</code> <CopyButton text={row.id} what={words.id} />
      </p>
      <p>
        <StateWord {...statusOf(row)} />
      </p>
      <Figures items={items.filter(([, value]) => value !== '')} />
      {row.cause !== null && (
        <p>
          <span class="muted">{words.cause}</span> {row.cause}
        </p>
      )}
      <div class="actions">
        <button type="button" class="primary" onClick={onClose}>
          {texts.shared.close}
        </button>
      </div>
    </Dialog>
  )
}
