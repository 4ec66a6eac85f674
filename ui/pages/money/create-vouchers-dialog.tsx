import { useState } from 'preact/hooks'
import { perform } from '../../api/operation.ts'
import { useRepeatKey } from '../../api/repeat-key.ts'
import { Field } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Select } from '../../parts/select.tsx'
import { texts } from '../../texts/operator-texts.ts'
import type { CreatedVouchers } from './codes-dialog.tsx'

interface CreateVouchersDialogProps {
  readonly onClose: () => void
  readonly onCreated: (created: CreatedVouchers) => void
}

type Expiry = keyof typeof texts.money.expiries

/** Creates vouchers. A repeat of the same request returns the same vouchers, even if its answer was lost. */
export function CreateVouchersDialog({ onClose, onCreated }: CreateVouchersDialogProps) {
  const [expiry, setExpiry] = useState<Expiry>('never')
  const repeat = useRepeatKey()
  const words = texts.money
  return (
    <FormDialog
      title={words.createTitle}
      button={words.create}
      onClose={onClose}
      onSend={async (field) => {
        const memo = field('memo')
        const wanted = {
          amount: field('amount'),
          count: Number(field('count')),
          ...(memo !== '' && { memo }),
          ...(expiry !== 'never' && { expiresDays: Number(expiry) }),
        }
        const idempotencyKey = repeat(JSON.stringify(wanted))
        onCreated(await perform('vouchers-create', { ...wanted, idempotencyKey }))
      }}
    >
      <Field label={words.amount} name="amount" inputMode="decimal" maxLength={30} required />
      <Field
        label={words.count}
        name="count"
        type="number"
        hint={words.countHint}
        min={1}
        max={100}
        defaultValue="1"
        required
      />
      <Select label={words.expiry} value={expiry} choices={words.expiries} onChange={setExpiry} />
      <Field label={words.memo} name="memo" hint={words.memoHint} maxLength={200} />
    </FormDialog>
  )
}
