import { useState } from 'preact/hooks'
import type { OperationJson } from '../../../src/operations/money-text.ts'
import { status } from '../../api/session.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Money } from '../../parts/money.tsx'
import { saveText } from '../../parts/save-text.ts'
import { useAskUntilStored } from '../../parts/secret-box.tsx'
import { exactTime } from '../../parts/time-text.ts'
import { texts } from '../../texts/texts.ts'

export type CreatedVouchers = OperationJson<'vouchers-create'>

interface CodesDialogProps {
  readonly created: CreatedVouchers
  readonly onClose: () => void
}

/** Codes are shown once: the dialog cannot be closed before they are copied, downloaded or ticked as stored. */
export function CodesDialog({ created, onClose }: CodesDialogProps) {
  const [isStored, setIsStored] = useState(false)
  useAskUntilStored(isStored)
  const words = texts.money
  const { vouchers } = created
  const text = vouchers.map(({ code }) => `${code}\n`).join('')
  return (
    <Dialog title={words.codesTitle(vouchers.length)} mayClose={isStored} onClose={onClose}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
      <pre class="codes" tabIndex={0} onCopy={() => setIsStored(true)}>
        {text}
      </pre>
      <div class="row">
        <CopyButton text={text} what={words.codes} onCopied={() => setIsStored(true)} />
        <button
          type="button"
          class="small"
          onClick={() => {
            saveText('vouchers.txt', text)
            setIsStored(true)
          }}
        >
          {words.download}
        </button>
        <button type="button" class="small" onClick={() => print()}>
          {words.print}
        </button>
      </div>
      <Slips created={created} />
      <label class="check">
        <input
          type="checkbox"
          checked={isStored}
          onChange={({ currentTarget }) => setIsStored(currentTarget.checked)}
        />{' '}
        {texts.shared.stored}
      </label>
      <div class="actions">
        <button type="button" class="primary" disabled={!isStored} onClick={onClose}>
          {texts.shared.done}
        </button>
      </div>
    </Dialog>
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
          <span>{words.redeemAt(`${status.value?.base_url ?? location.origin}/dashboard/billing`)}</span>
          {expiresAtMs !== null && <span>{words.goodUntil(exactTime(expiresAtMs))}</span>}
        </li>
      ))}
    </ul>
  )
}
