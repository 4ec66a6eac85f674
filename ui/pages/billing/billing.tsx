/** Billing: the balance, the part that is held, vouchers, and every movement of money by month. */

import { useState } from 'preact/hooks'
import { perform, useResult } from '../../api/own-operation.ts'
import { me, refreshMe, status } from '../../api/session.ts'
import { announce } from '../../parts/announce.tsx'
import { BalanceCard } from '../../parts/balance-card.tsx'
import { ConfirmAddress } from '../../parts/confirm-address.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { moneyText } from '../../parts/money-text.ts'
import { Page } from '../../parts/page.tsx'
import { texts } from '../../texts/texts.ts'
import { BalanceChart } from './balance-chart.tsx'
import { Statement, useStatement } from './statement.tsx'

export default function Billing() {
  const isCharged = me.value?.isUnmetered !== true
  const days = useResult('statement-days', isCharged ? {} : undefined)
  const statement = useStatement()
  const topUp = status.value?.top_up_text
  return (
    <Page title={texts.billing.title} intro={isCharged ? texts.billing.intro : texts.billing.unmetered}>
      <div class="stack">
        {isCharged && (
          <>
            <div class="cards">
              <BalanceCard>
                <p>
                  <a href="/dashboard/models">{texts.billing.prices}</a>
                </p>
              </BalanceCard>
              <section class="card stack">
                <Redeem
                  onRedeemed={() => {
                    void refreshMe()
                    void days.reload()
                    void statement.answer.reload()
                  }}
                />
                {topUp !== undefined && topUp !== null && (
                  <div>
                    <h3>{texts.billing.otherWays}</h3>
                    <p>{topUp}</p>
                  </div>
                )}
              </section>
              <ConfirmAddress />
            </div>
            <section class="card stack">
              <h2>{texts.billing.chartTitle}</h2>
              <Loaded answer={days}>{(rows) => <BalanceChart days={rows} />}</Loaded>
            </section>
          </>
        )}
        <Statement {...statement} />
      </div>
    </Page>
  )
}

/** Redeems a voucher's code, typed in any form. The field is empty afterwards. */
function Redeem({ onRedeemed }: { readonly onRedeemed: () => void }) {
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
