/** Facts of a model as tables and cards show them. */
import { bytesText } from '../../parts/bytes-text.ts'
import { moneyText } from '../../parts/money-text.ts'
import { StateWord } from '../../parts/state-word.tsx'
import { Time } from '../../parts/time.tsx'
import { texts } from '../../texts/operator-texts.ts'
import { fitText, fitWord, isLoaded, type LiveModel, memoryText, poolsText, stateText } from './model-state.ts'

/** Shows the state with its reason, the progress of a download, or the last use. */
export function StateCell({ model }: { readonly model: LiveModel }) {
  const { tone, word, more } = stateText(model)
  const { pull, row } = model
  const isIdle = row.isInstalled && !isLoaded(model) && more === '' && row.lastUsedMs !== null
  return (
    <>
      <StateWord tone={tone} word={word} />
      {pull?.state === 'running' && <progress value={pull.bytes} max={Math.max(1, pull.total)} aria-label={word} />}
      {more !== '' && <span class="sub">{more}</span>}
      {isIdle && row.lastUsedMs !== null && (
        <span class="sub">
          {texts.models.lastUsed} <Time at={row.lastUsedMs} />
        </span>
      )}
    </>
  )
}

const fitSigns = { fits: '✓', alone: '◔', 'too-large': '▲' } as const

/** Shows the memory in use, or whether the model fits with the memory that it needs. */
export function FitCell({ model }: { readonly model: LiveModel }) {
  const { fit, memory } = model.row
  if (fit === null) return <span>{memoryText(model)}</span>
  return (
    <span title={fitText(model.row)}>
      <span class={`fit ${fit.verdict}`}>
        <span aria-hidden="true">{fitSigns[fit.verdict]}</span> {fitWord(fit)}
      </span>
      {memory !== null && <span class="sub">{poolsText(memory.bytes, texts.models.estimated)}</span>}
    </span>
  )
}

/** Returns the size on this disk, or that of the download; empty if unknown. */
export function sizeText({ row: { diskBytes, downloadBytes } }: LiveModel): string {
  const bytes = diskBytes > 0 ? diskBytes : downloadBytes
  return bytes === null || bytes === 0 ? '' : bytesText(bytes)
}

/** Returns the licence without the prefix of those that SPDX does not list. */
export function licenseText({ row }: LiveModel): string {
  return (row.license ?? '').replace('LicenseRef-', '')
}

export function pricesOf({ pricing }: LiveModel['row']): string {
  if (pricing === null) return texts.models.noPrice
  const { unit, inputUsd, outputUsd, priceUsd } = pricing
  const amounts = [inputUsd, outputUsd, priceUsd].filter((usd) => typeof usd === 'string')
  const [first = '0', second] = amounts.map((usd) => moneyText(usd).text)
  if (amounts.every((usd) => Number(usd) === 0)) return texts.play.free
  const per = texts.play.units[unit]
  return second === undefined ? texts.play.onePrice(first, per) : texts.models.twoPrices(first, second, per)
}
