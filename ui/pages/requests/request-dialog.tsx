import type { ComponentChildren } from 'preact'
import type { OperationJson } from '../../../src/operations/money-text.ts'
import { useResult } from '../../api/operation.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Figures } from '../../parts/figures.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { ExactMoney, Money } from '../../parts/money.tsx'
import { moneyText } from '../../parts/money-text.ts'
import { StateWord } from '../../parts/state-word.tsx'
import { exactTime } from '../../parts/time-text.ts'
import { texts } from '../../texts/operator-texts.ts'
import { type OperatorRequest, statusOf } from './request-table.tsx'

interface RequestDialogProps {
  readonly row: OperatorRequest
  readonly onClose: () => void
}

type Fact = readonly [name: string, value: ComponentChildren]

/** Shows everything recorded of a request. */
export function RequestDialog({ row, onClose }: RequestDialogProps) {
  const words = texts.requests
  const items: readonly Fact[] = [
    [words.columns.time, exactTime(row.startedMs)],
    [
      words.endpoint,
      <Only key="endpoint" {...{ onClose }} name="endpoint" what={words.endpoint} value={row.endpoint} />,
    ],
    [words.columns.model, <Only key="model" {...{ onClose }} name="model" what="model" value={row.model} />],
    [
      words.columns.who,
      <Only key="who" {...{ onClose }} name="account" what="account" value={row.accountId} shown={row.accountName} />,
    ],
    [words.key, <Only key="key" {...{ onClose }} name="key" what="key" value={row.keyId} shown={row.keyName} />],
    [words.callersId, row.callerRequestId ?? ''],
    [words.finish, row.finish ?? ''],
    [words.code, row.code ?? ''],
    [words.counted, row.isEstimated ? words.estimated : ''],
    [words.columns.cost, row.costUsd === null ? '' : <Money usd={row.costUsd} />],
    [words.charged, row.chargedUsd === null ? '' : <Money usd={row.chargedUsd} />],
  ]
  return (
    <Dialog title={words.show} onClose={onClose}>
      <p class="row">
        <code>{row.id}</code> <CopyButton text={row.id} what={words.id} />
      </p>
      <p>
        <StateWord {...statusOf(row)} />
      </p>
      <Figures items={items.filter(([, value]) => value !== '')} />
      {row.cause !== null && (
        <p>
          <span class="muted">{words.cause}</span> {row.cause}
        </p>
      )}
      {row.state === 'ended' && <Receipt request={row.id} />}
      <div class="actions">
        <button type="button" class="primary" onClick={onClose}>
          {texts.shared.close}
        </button>
      </div>
    </Dialog>
  )
}

interface OnlyProps {
  readonly name: 'model' | 'account' | 'key' | 'endpoint'
  readonly what: string
  readonly value: string | null
  readonly shown?: string | null
  readonly onClose: () => void
}

/** Shows a value with a link to the requests that share it. */
function Only({ name, what, value, shown = null, onClose }: OnlyProps) {
  if (value === null) return <>{shown}</>
  return (
    <a
      href={`/admin/requests?tab=recent&${name}=${encodeURIComponent(value)}`}
      title={texts.requests.only(what)}
      onClick={onClose}
    >
      {shown ?? value}
    </a>
  )
}

/** Shows charge and prices. Requests that were refused have none. */
function Receipt({ request }: { readonly request: string }) {
  const answer = useResult('usage-receipt', { request })
  const words = texts.requests
  return (
    <section class="stack">
      <h3>{words.receipt}</h3>
      {answer.failure?.facts.status === 404 ? (
        <p class="muted">{words.noReceipt}</p>
      ) : (
        <Loaded answer={answer} lines={2}>
          {(receipt) => <Figures items={factsOf(receipt)} />}
        </Loaded>
      )}
    </section>
  )
}

function factsOf({ pricing, ...receipt }: OperationJson<'usage-receipt'>): readonly Fact[] {
  const { facts: names, per } = texts.ownUsage
  const price = (name: string, usd: string | null | undefined): readonly Fact[] =>
    typeof usd === 'string' ? [[name, per(moneyText(usd).text, texts.play.units[pricing.unit])]] : []
  const money = (name: string, usd: string | null | undefined): readonly Fact[] =>
    typeof usd !== 'string' ? [] : [[name, <ExactMoney key={name} usd={usd} />]]
  return [
    ...price(names.inputPrice, pricing.inputUsd),
    ...price(names.cachedPrice, pricing.cachedInputUsd),
    ...price(names.outputPrice, pricing.outputUsd),
    ...price(names.price, pricing.priceUsd),
    ...money(names.held, receipt.heldUsd),
    ...money(names.cost, receipt.costUsd),
    ...money(names.charged, receipt.chargedUsd),
    ...money(names.balance, receipt.balanceAfterUsd),
  ]
}
