/** Billing: the balance, what is held of it, vouchers, and every move of the money by month. */
import { useResult } from '../../api/own-operation.ts'
import { me, refreshMe, status } from '../../api/session.ts'
import { BalanceCard } from '../../parts/balance-card.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { texts } from '../../texts/texts.ts'
import { BalanceChart } from './balance-chart.tsx'
import { Redeem } from './redeem.tsx'
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
              <BalanceCard />
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
