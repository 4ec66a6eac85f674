import type { ComponentChildren } from 'preact'
import { useResult } from '../../api/own-operation.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { ExactMoney } from '../../parts/money.tsx'
import { moneyText } from '../../parts/money-text.ts'
import type { Receipt } from '../../parts/play/receipt.ts'
import { RequestStatusText, statusOf } from '../../parts/request-table.tsx'
import { durationText, exactTime } from '../../parts/time-text.ts'
import { texts } from '../../texts/texts.ts'

interface ReceiptDialogProps {
  readonly requestId: string
  readonly onClose: () => void
}

/** Shows a request's usage, its prices, and the charge to the balance. */
export function ReceiptDialog({ requestId, onClose }: ReceiptDialogProps) {
  const answer = useResult('usage-receipt', { request: requestId })
  const isUnknown = answer.failure?.facts.code === 'request_not_found'
  return (
    <Dialog title={texts.ownUsage.receipt} onClose={onClose}>
      {isUnknown ? (
        <p>{texts.ownUsage.noReceipt}</p>
      ) : (
        <Loaded answer={answer} lines={8}>
          {(receipt) => <Facts receipt={receipt} />}
        </Loaded>
      )}
      <div class="actions">
        <button type="button" class="primary" onClick={onClose}>
          {texts.shared.close}
        </button>
      </div>
    </Dialog>
  )
}

type Fact = readonly [name: string, value: ComponentChildren] | undefined

function Facts({ receipt }: { readonly receipt: Receipt }) {
  const { facts: names } = texts.ownUsage
  const { pricing: prices, used } = receipt
  const status = statusOf(receipt.finish)
  const unit = texts.play.units[prices.unit]
  const price = (name: string, usd: string | null): Fact =>
    usd === null ? undefined : [name, texts.ownUsage.per(moneyText(usd).text, unit)]
  const money = (name: string, usd: string | null): Fact =>
    usd === null ? undefined : [name, <ExactMoney key={name} usd={usd} />]
  const count = (name: string, value: number): Fact => (value === 0 ? undefined : [name, value.toLocaleString('en')])
  const time = (name: string, ms: number | null): Fact => (ms === null ? undefined : [name, durationText(ms)])
  const isOrdinary = status !== 'completed' || receipt.finish === 'stop'
  const groups: readonly (readonly Fact[])[] = [
    [
      [names.request, <RequestId key="id" id={receipt.requestId} />],
      [names.link, <CopyButton key="link" text={location.href} what={names.link} />],
      [names.ended, exactTime(receipt.createdMs)],
      [names.model, receipt.model],
      [names.key, receipt.keyName ?? receipt.keyId],
      [names.endpoint, receipt.endpoint],
      [names.result, <RequestStatusText key="status" finish={receipt.finish} />],
      isOrdinary ? undefined : [names.finish, texts.play.finishes[receipt.finish] ?? receipt.finish],
    ],
    [
      count(names.in, used.promptTokens),
      count(names.cached, used.cachedTokens),
      count(names.out, used.completionTokens),
      count(names.thinking, used.reasoningTokens),
      count(names.characters, used.characters),
      used.audioMs === 0 ? undefined : [names.audio, durationText(used.audioMs)],
      count(names.images, used.images),
      count(names.searches, used.searches ?? 0),
      receipt.isEstimated ? [names.counted, texts.ownUsage.estimated] : undefined,
    ],
    [
      time(names.queued, receipt.queuedMs),
      time(names.loading, receipt.loadingMs),
      time(names.first, receipt.firstOutputMs),
      time(names.running, receipt.runningMs),
    ],
    [
      price(names.inputPrice, prices.inputUsd),
      price(names.cachedPrice, prices.cachedInputUsd),
      price(names.outputPrice, prices.outputUsd),
      price(names.price, prices.priceUsd),
      used.searches === null || prices.searchUsd === null
        ? undefined
        : [names.searchPrice, moneyText(prices.searchUsd).text],
    ],
    [
      money(names.held, receipt.heldUsd),
      money(names.cost, receipt.costUsd),
      money(names.charged, receipt.chargedUsd),
      money(names.balance, receipt.balanceAfterUsd),
    ],
  ]
  return (
    <>
      {groups
        .map((facts) => facts.filter((fact) => fact !== undefined))
        .filter((facts) => facts.length > 0)
        .map((facts) => (
          <dl key={facts[0]?.[0]} class="facts">
            {facts.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        ))}
      {receipt.isEstimated && <p class="hint">{texts.ownUsage.estimatedWhy}</p>}
      {statusOf(receipt.finish) === 'failed' && <p class="hint">{texts.ownUsage.failedFree}</p>}
    </>
  )
}

function RequestId({ id }: { readonly id: string }) {
  return (
    <>
      <code>{id}</code> <CopyButton text={id} what={texts.shared.requestId} />
    </>
  )
}
