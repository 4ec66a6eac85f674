import type { OperationJson } from '../../../src/operations/money-text.ts'
import { serverAddress } from '../../api/session.ts'
import { Money } from '../../parts/money.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { exactTime } from '../../parts/time-text.ts'
import { texts } from '../../texts/operator-texts.ts'

export type CreatedVouchers = OperationJson<'vouchers-create'>

interface CodesDialogProps {
  readonly created: CreatedVouchers
  readonly onClose: () => void
}

/** Shows the codes of new vouchers once, and prints them as slips. */
export function CodesDialog({ created, onClose }: CodesDialogProps) {
  const { vouchers } = created
  return (
    <SecretDialog
      title={texts.money.codesTitle(vouchers.length)}
      label={texts.money.codes}
      secret={vouchers.map(({ code }) => `${code}\n`).join('')}
      fileName="vouchers.txt"
      onClose={onClose}
    >
      <Slips created={created} />
    </SecretDialog>
  )
}

/** Shows a slip per voucher to cut out, on paper only. */
function Slips({ created: { vouchers, amountUsd, expiresAtMs } }: Pick<CodesDialogProps, 'created'>) {
  const words = texts.money
  return (
    <ul class="slips">
      {vouchers.map(({ id, code }) => (
        <li key={id}>
          <b>
            <Money usd={amountUsd} />
          </b>
          <code>{code}</code>
          <span>{words.redeemAt(`${serverAddress()}/dashboard/billing`)}</span>
          {expiresAtMs !== null && <span>{words.goodUntil(exactTime(expiresAtMs))}</span>}
        </li>
      ))}
    </ul>
  )
}
