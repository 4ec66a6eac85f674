import { useState } from 'preact/hooks'
import { perform } from '../../api/own-operation.ts'
import { announce } from '../../parts/announce.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { moneyText } from '../../parts/money-text.ts'
import { texts } from '../../texts/texts.ts'

/** Redeems a voucher's code, typed in any way. The field is empty again afterwards. */
export function Redeem({ onRedeemed }: { readonly onRedeemed: () => void }) {
  const [count, setCount] = useState(0)
  return (
    <>
      <h2>{texts.billing.redeemTitle}</h2>
      <Form
        key={count}
        button={texts.billing.redeem}
        onSend={async (field) => {
          const { amountUsd, balanceUsd } = await perform('vouchers-redeem', { code: field('code') })
          announce(texts.billing.redeemed(moneyText(amountUsd).text, moneyText(balanceUsd).text))
          setCount(count + 1)
          onRedeemed()
        }}
      >
        <Field label={texts.billing.code} name="code" hint={texts.billing.codeHint} maxLength={100} required />
      </Form>
    </>
  )
}
