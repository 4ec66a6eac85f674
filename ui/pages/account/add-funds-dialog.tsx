import { useState } from 'preact/hooks'
import { RequestFailure } from '../../api/failure.ts'
import { perform } from '../../api/operation.ts'
import { useRepeatKey } from '../../api/repeat-key.ts'
import { refreshMe } from '../../api/session.ts'
import { announce } from '../../parts/announce.tsx'
import { Field } from '../../parts/field.tsx'
import { Figures } from '../../parts/figures.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { Money } from '../../parts/money.tsx'
import { moneyText, toNano, toUsd } from '../../parts/money-text.ts'
import { texts } from '../../texts/operator-texts.ts'
import { type Account, nameOf } from './account-name.ts'

interface AddFundsDialogProps {
  readonly account: Account
  readonly onClose: () => void
  readonly onAdded: () => void
}

const typedTwiceNano = 1_000_000_000_000n

/** Adds money by hand. A repeat of the same request adds nothing, even if its answer was lost. */
export function AddFundsDialog({ account, onClose, onAdded }: AddFundsDialogProps) {
  const [amount, setAmount] = useState('')
  const words = texts.account
  const who = nameOf(account)
  const repeat = useRepeatKey()
  const amountNano = toNano(amount)
  const thenNano = amountNano === undefined ? undefined : (toNano(account.balanceUsd) ?? 0n) + amountNano
  const isLarge = amountNano !== undefined && (amountNano > typedTwiceNano || amountNano < -typedTwiceNano)

  return (
    <FormDialog
      title={words.fundsTitle(who)}
      button={words.addFunds}
      onClose={onClose}
      onSend={async (field) => {
        if (isLarge && toNano(field('again')) !== amountNano) throw differs()
        const memo = field('memo')
        const given = { account: account.id, amount: field('amount'), ...(memo !== '' && { memo }) }
        const result = await perform('ledger-credit', { ...given, idempotencyKey: repeat(JSON.stringify(given)) })
        const { amountUsd, balanceUsd } = result
        const done = amountUsd.startsWith('-') ? words.fundsTaken : words.fundsDone
        announce(done(moneyText(amountUsd.replace('-', '')).text, who, moneyText(balanceUsd).text))
        void refreshMe()
        onClose()
        onAdded()
      }}
    >
      <Field
        label={words.amount}
        name="amount"
        hint={words.amountHint}
        inputMode="decimal"
        maxLength={30}
        required
        onInput={({ currentTarget }) => setAmount(currentTarget.value)}
      />
      {isLarge && (
        <Field label={words.amountAgain} name="again" hint={words.amountAgainHint} inputMode="decimal" required />
      )}
      <Field label={words.memo} name="memo" hint={words.memoHint} maxLength={200} />
      <Figures
        items={[
          [words.balanceNow, <Money key="now" usd={account.balanceUsd} />],
          [words.balanceThen, thenNano === undefined ? '–' : <Money key="then" usd={toUsd(thenNano)} />],
        ]}
      />
    </FormDialog>
  )
}

function differs(): RequestFailure {
  return new RequestFailure(texts.account.amountDiffers, {
    status: 0,
    code: 'amount_differs',
    param: 'again',
    requestId: undefined,
    retryAfterSeconds: undefined,
  })
}
