import { useState } from 'preact/hooks'
import { perform } from '../../api/operation.ts'
import { useRepeatKey } from '../../api/repeat-key.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { Select } from '../../parts/select.tsx'
import { texts } from '../../texts/texts.ts'

interface CreateVouchersDialogProps {
  readonly onClose: () => void
  readonly onCreated: (codes: readonly string[]) => void
}

type Expiry = keyof typeof texts.money.expiries

/** Asks for vouchers. A repeat of the same request, whatever becomes of its answer, has the same vouchers as its answer. */
export function CreateVouchersDialog({ onClose, onCreated }: CreateVouchersDialogProps) {
  const [expiry, setExpiry] = useState<Expiry>('never')
  const repeat = useRepeatKey()
  const words = texts.money
  return (
    <Dialog title={words.createTitle} onClose={onClose}>
      <Form
        button={words.create}
        onCancel={onClose}
        onSend={async (field) => {
          const memo = field('memo')
          const wanted = {
            amount: field('amount'),
            count: Number(field('count')),
            ...(memo !== '' && { memo }),
            ...(expiry !== 'never' && { expiresDays: Number(expiry) }),
          }
          const idempotencyKey = repeat(JSON.stringify(wanted))
          const { vouchers } = await perform('vouchers-create', { ...wanted, idempotencyKey })
          onCreated(vouchers.map(({ code }) => code))
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
      </Form>
    </Dialog>
  )
}

interface CodesDialogProps {
  readonly codes: readonly string[]
  readonly onClose: () => void
}

/** Codes are shown once: the dialog cannot be closed before they are copied, downloaded or ticked as stored. */
export function CodesDialog({ codes, onClose }: CodesDialogProps) {
  const [isStored, setIsStored] = useState(false)
  const words = texts.money
  const text = `${codes.join('\n')}\n`
  return (
    <Dialog title={words.codesTitle(codes.length)} mayClose={isStored} onClose={onClose}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
      <pre class="codes" tabIndex={0}>
        {text}
      </pre>
      <div class="row">
        <CopyButton text={text} what={words.codes} onCopied={() => setIsStored(true)} />
        <button
          type="button"
          class="small"
          onClick={() => {
            download(text)
            setIsStored(true)
          }}
        >
          {words.download}
        </button>
        <button type="button" class="small" onClick={() => print()}>
          {words.print}
        </button>
      </div>
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

function download(text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  link.download = 'vouchers.txt'
  link.click()
  URL.revokeObjectURL(link.href)
}
