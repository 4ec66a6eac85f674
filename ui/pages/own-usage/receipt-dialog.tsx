import type { ComponentChildren } from 'preact'
import type { Receipt } from '../../../src/wire/pages/requests.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { ExactMoney } from '../../parts/money.tsx'
import { moneyText } from '../../parts/money-text.ts'
import { RequestStatusText } from '../../parts/request-table.tsx'
import { durationText, exactTime } from '../../parts/time-text.ts'
import { texts } from '../../texts/texts.ts'

interface ReceiptDialogProps {
  readonly requestId: string
  readonly onClose: () => void
}

/** Shows a request's usage, its prices, and the charge to the balance. */
export function ReceiptDialog({ requestId, onClose }: ReceiptDialogProps) {
  const answer = useAnswer<Receipt>(`/dashboard/api/requests/${encodeURIComponent(requestId)}`)
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
  const { prices } = receipt
  const unit = texts.play.units[prices.unit]
  const price = (name: string, usd: string | null): Fact =>
    usd === null ? undefined : [name, texts.ownUsage.per(moneyText(usd).text, unit)]
  const money = (name: string, usd: string | null): Fact =>
    usd === null ? undefined : [name, <ExactMoney key={name} usd={usd} />]
  const count = (name: string, value: number): Fact => (value === 0 ? undefined : [name, value.toLocaleString('en')])
  const time = (name: string, ms: number | null): Fact => (ms === null ? undefined : [name, durationText(ms)])
  const isOrdinary = receipt.status !== 'completed' || receipt.finish === 'stop'
  const groups: readonly (readonly Fact[])[] = [
    [
      [names.request, <RequestId key="id" id={receipt.request_id} />],
      [names.link, <CopyButton key="link" text={location.href} what={names.link} />],
      [names.ended, exactTime(Date.parse(receipt.created))],
      [names.model, receipt.model],
      [names.key, receipt.key_name ?? receipt.key_id],
      [names.endpoint, receipt.endpoint],
      [names.result, <RequestStatusText key="status" status={receipt.status} />],
      isOrdinary ? undefined : [names.finish, texts.play.finishes[receipt.finish] ?? receipt.finish],
    ],
    [
      count(names.in, receipt.prompt_tokens),
      count(names.cached, receipt.cached_tokens),
      count(names.out, receipt.completion_tokens),
      count(names.thinking, receipt.reasoning_tokens),
      count(names.characters, receipt.characters),
      receipt.audio_seconds === 0 ? undefined : [names.audio, durationText(receipt.audio_seconds * 1_000)],
      receipt.estimated ? [names.counted, texts.ownUsage.estimated] : undefined,
    ],
    [
      time(names.queued, receipt.queued_ms),
      time(names.loading, receipt.loading_ms),
      time(names.first, receipt.first_output_ms),
      time(names.running, receipt.running_ms),
    ],
    [
      price(names.inputPrice, prices.input_usd),
      price(names.cachedPrice, prices.cached_input_usd),
      price(names.outputPrice, prices.output_usd),
      price(names.price, prices.price_usd),
    ],
    [
      money(names.held, receipt.held_usd),
      money(names.cost, receipt.cost_usd),
      money(names.charged, receipt.charged_usd),
      money(names.balance, receipt.balance_after_usd),
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
      {receipt.estimated && <p class="hint">{texts.ownUsage.estimatedWhy}</p>}
      {receipt.status === 'failed' && <p class="hint">{texts.ownUsage.failedFree}</p>}
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
