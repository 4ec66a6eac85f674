import { useState } from 'preact/hooks'
import type { AccountAnswers } from '../../../src/operations/account-answers.ts'
import { perform } from '../../api/own-operation.ts'
import { Field } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Select } from '../../parts/select.tsx'
import { texts } from '../../texts/texts.ts'
import { type Expiry, expiresDays, expiries, expiryDay, maximumDays } from './expiry.ts'

export type DatedKey = AccountAnswers['keys-create'] & {
  /** Day of expiry in ISO 8601. Undefined if the key never expires. */
  readonly expiresDay: string | undefined
}

interface CreateKeyDialogProps {
  /** Team that pays for the key. Undefined for the account itself. */
  readonly payer: string | undefined
  readonly onClose: () => void
  readonly onCreated: (key: DatedKey) => void
}

export function CreateKeyDialog({ payer, onClose, onCreated }: CreateKeyDialogProps) {
  const [expiry, setExpiry] = useState<Expiry>('never')
  const nowMs = Date.now()
  return (
    <FormDialog
      title={texts.keys.createTitle}
      button={texts.keys.create}
      onClose={onClose}
      onSend={async (field) => {
        const days = expiresDays(expiry, field('date'), Date.now())
        const key = await perform('keys-create', { name: field('name'), account: payer, expiresDays: days })
        onCreated({ ...key, expiresDay: days === undefined ? undefined : expiryDay(days, Date.now()) })
      }}
    >
      <Field label={texts.keys.name} name="name" hint={texts.keys.nameHint} maxLength={100} required />
      <Select
        label={texts.keys.expiry}
        value={expiry}
        choices={texts.keys.expiries}
        order={expiries}
        onChange={setExpiry}
      />
      {expiry === 'date' && (
        <Field
          label={texts.keys.date}
          name="date"
          type="date"
          min={expiryDay(1, nowMs)}
          max={expiryDay(maximumDays, nowMs)}
          hint={texts.keys.dateHint}
          required
        />
      )}
    </FormDialog>
  )
}
