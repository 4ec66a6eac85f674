import type { ComponentChildren } from 'preact'
import { texts } from '../../texts/texts.ts'
import { Figures } from '../figures.tsx'
import { Money } from '../money.tsx'
import { durationText } from '../time-text.ts'
import { type ReceiptFigures, useReceipt } from './receipt.ts'
import { tokenRate } from './short-figures.ts'

type Item = readonly [name: string, value: ComponentChildren]

interface RequestFiguresProps {
  /** x-request-id of a finished answer. Undefined before. */
  readonly requestId: string | undefined
  /** Figures of the page itself, shown first. */
  readonly own?: readonly Item[]
}

/** Shows a request's times and cost from its receipt. */
export function RequestFigures({ requestId, own = [] }: RequestFiguresProps) {
  const receipt = useReceipt(requestId)
  const items = [...own, ...(receipt === undefined ? [] : receiptItems(receipt))]
  return items.length === 0 ? null : <Figures items={items} />
}

/** Returns the same figures from a loaded receipt. */
export function receiptItems(receipt: ReceiptFigures): Item[] {
  const { figures } = texts.play
  const { used } = receipt
  const waitedMs = receipt.queuedMs ?? receipt.loadingMs
  const waited = receipt.loadingMs === null ? figures.queued : figures.loading
  const items: (Item | undefined)[] = [
    waitedMs === null ? undefined : [waited, durationText(waitedMs)],
    receipt.firstOutputMs === null ? undefined : [figures.firstOutput, durationText(receipt.firstOutputMs)],
    receipt.runningMs === null ? undefined : [figures.running, durationText(receipt.runningMs)],
    rateItem(receipt),
    used.promptTokens === 0 ? undefined : [figures.in, withPart(used.promptTokens, used.cachedTokens, figures.cached)],
    used.completionTokens === 0
      ? undefined
      : [figures.out, withPart(used.completionTokens, used.reasoningTokens, figures.thinking)],
    used.characters === 0 ? undefined : [figures.characters, used.characters.toLocaleString('en')],
    used.audioMs === 0 ? undefined : [figures.audio, durationText(used.audioMs)],
    used.images === 0 ? undefined : [figures.images, used.images.toLocaleString('en')],
    receipt.isEstimated ? [figures.counted, texts.ownUsage.estimated] : undefined,
    [figures.finish, texts.play.finishes[receipt.finish] ?? receipt.finish],
    [figures.cost, <Money key="cost" usd={receipt.costUsd} />],
    ...chargedIfOther(receipt),
    [figures.request, <ReceiptLink key="request" id={receipt.requestId} />],
  ]
  return items.filter((item) => item !== undefined)
}

/** Returns the charge if it differs from the cost, as for failures and unmetered accounts. */
function chargedIfOther({ costUsd, chargedUsd }: ReceiptFigures): Item[] {
  return costUsd === chargedUsd ? [] : [[texts.play.figures.charged, <Money key="charged" usd={chargedUsd} />]]
}

function ReceiptLink({ id }: { readonly id: string }) {
  return (
    <a class="request-id" href={`/dashboard/usage?request=${encodeURIComponent(id)}`} title={texts.play.receipt}>
      {id}
    </a>
  )
}

function rateItem(receipt: ReceiptFigures): Item | undefined {
  const rate = tokenRate(receipt)
  return rate === undefined ? undefined : [texts.play.figures.rate, texts.play.perSecond(rate)]
}

function withPart(total: number, part: number, name: string): string {
  const text = total.toLocaleString('en')
  return part === 0 ? text : `${text} (${part.toLocaleString('en')} ${name})`
}
