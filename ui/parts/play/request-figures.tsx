import type { ComponentChildren } from 'preact'
import { texts } from '../../texts/texts.ts'
import { Figures } from '../figures.tsx'
import { Money } from '../money.tsx'
import { durationText } from '../time-text.ts'
import { outputMs, type Receipt, useReceipt } from './receipt.ts'

type Item = readonly [name: string, value: ComponentChildren]

export interface RequestFiguresProps {
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
export function receiptItems(receipt: Receipt): Item[] {
  const { figures } = texts.play
  const waitedMs = receipt.queued_ms ?? receipt.loading_ms
  const waited = receipt.loading_ms === null ? figures.queued : figures.loading
  const items: (Item | undefined)[] = [
    waitedMs === null ? undefined : [waited, durationText(waitedMs)],
    receipt.first_output_ms === null ? undefined : [figures.firstOutput, durationText(receipt.first_output_ms)],
    receipt.running_ms === null ? undefined : [figures.running, durationText(receipt.running_ms)],
    tokenRate(receipt),
    receipt.prompt_tokens === 0
      ? undefined
      : [figures.in, withPart(receipt.prompt_tokens, receipt.cached_tokens, figures.cached)],
    receipt.completion_tokens === 0
      ? undefined
      : [figures.out, withPart(receipt.completion_tokens, receipt.reasoning_tokens, figures.thinking)],
    receipt.characters === 0 ? undefined : [figures.characters, receipt.characters.toLocaleString('en')],
    receipt.audio_seconds === 0 ? undefined : [figures.audio, durationText(receipt.audio_seconds * 1_000)],
    receipt.estimated ? [figures.counted, texts.ownUsage.estimated] : undefined,
    [figures.finish, texts.play.finishes[receipt.finish] ?? receipt.finish],
    [figures.cost, <Money key="cost" usd={receipt.cost_usd} />],
    ...chargedIfOther(receipt),
    [figures.request, <ReceiptLink key="request" id={receipt.request_id} />],
  ]
  return items.filter((item) => item !== undefined)
}

/** Returns the charge if it differs from the cost, as for failures and unmetered accounts. */
function chargedIfOther({ cost_usd, charged_usd }: Receipt): Item[] {
  return cost_usd === charged_usd ? [] : [[texts.play.figures.charged, <Money key="charged" usd={charged_usd} />]]
}

function ReceiptLink({ id }: { readonly id: string }) {
  return (
    <a class="request-id" href={`/dashboard/usage?request=${encodeURIComponent(id)}`} title={texts.play.receipt}>
      {id}
    </a>
  )
}

function tokenRate(receipt: Receipt): Item | undefined {
  const ms = outputMs(receipt)
  const count = receipt.completion_tokens
  // A rate over a few tokens or milliseconds is meaningless.
  if (ms === undefined || ms < 20 || count < 2) return undefined
  const rate = (count * 1_000) / ms
  return [
    texts.play.figures.rate,
    texts.play.perSecond(rate < 10 ? rate.toFixed(1) : Math.round(rate).toLocaleString('en')),
  ]
}

function withPart(total: number, part: number, name: string): string {
  const text = total.toLocaleString('en')
  return part === 0 ? text : `${text} (${part.toLocaleString('en')} ${name})`
}
